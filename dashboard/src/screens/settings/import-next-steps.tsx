import { Check, Send } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useAllStatusPages, useContacts } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { channelLabel } from '../../lib/labels.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Row, Rows, Tag } from './rows.tsx'

type Report = PublicSchemas['ImportReport']

/** What people do after an import, until they close it. */
export function NextSteps({ report }: { report: Report }) {
  return (
    <Section title={t('Next steps')}>
      <ol class="space-y-4">
        <Contacts report={report} />
        <Heartbeats report={report} />
        <Domains report={report} />
        {report.source === 'kuma' && (
          <Step title={t('Import the history')}>
            <p class="mb-2">{t('Status pages then show the uptime of the last 90 days. Run this next to kuma.db:')}</p>
            <CodeBlock label={t('Import the history')} text="pharos import-history kuma kuma.db" />
          </Step>
        )}
      </ol>
    </Section>
  )
}

function Step({ title, isDone = false, children }: { title: string; isDone?: boolean; children: ComponentChildren }) {
  return (
    <li class="card p-4">
      <h3 class="mb-1 flex items-center gap-2 font-semibold">
        {isDone && <Check class="text-up-text" />}
        {title}
        {isDone && <span class="sr-only">{t('Done')}</span>}
      </h3>
      {children}
    </li>
  )
}

function idsOf({ objects }: Report, prefix: string): ReadonlySet<string> {
  return new Set(objects.flatMap(({ resourceId }) => (resourceId?.startsWith(prefix) ? [resourceId] : [])))
}

function Contacts({ report }: { report: Report }) {
  const { api, may, refresh } = useOrganization()
  const [busy, setBusy] = useState<string>()
  const ids = idsOf(report, 'con_')
  const contacts = (useContacts().data ?? []).filter(({ id }) => ids.has(id))
  if (contacts.length === 0) return null
  const run = async (name: string, work: () => Promise<string>) => {
    setBusy(name)
    showToast(await work().catch((problem: Error) => problem.message))
    await refresh('contact')
    setBusy(undefined)
  }
  const enable = () =>
    run('all', async () => {
      const body = { source: report.configurationSource }
      const { enabledContacts } = await api.POST('/api/v1/configuration/finish-import', { body })
      return t('{contacts} enabled', { contacts: plural(enabledContacts, 'contact') })
    })
  const test = (contactId: string, name: string) =>
    run(contactId, async () => {
      const { sent } = await api.POST('/api/v1/contacts/{contactId}/test', { path: { contactId } })
      return sent ? t('Test sent to {name}', { name }) : t('Test to {name} failed', { name })
    })
  const isDone = contacts.every(({ enabled }) => enabled)
  return (
    <Step title={t('Test and enable the contacts')} isDone={isDone}>
      <p class="mb-3 text-muted">{t('They are disabled, so that two tools don’t send the same alert.')}</p>
      <Rows label={t('Alert contacts')}>
        {contacts.map(({ id, name, channel, enabled }) => (
          <Row
            key={id}
            title={
              <>
                {name} <Tag>{channelLabel(channel)}</Tag>
                {!enabled && <Tag tone="warn">{t('Disabled')}</Tag>}
              </>
            }
            actions={
              may('MEMBER') && (
                <Button
                  busy={busy === id}
                  aria-label={t('Send test to {name}', { name })}
                  icon={<Send size={14} />}
                  onClick={() => void test(id, name)}
                >
                  {t('Send test')}
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {!isDone && may('MEMBER') && (
        <div class="mt-3">
          <Button look="primary" busy={busy === 'all'} onClick={() => void enable()}>
            {t('Enable all')}
          </Button>
        </div>
      )}
    </Step>
  )
}

/** Heartbeat monitors, whose jobs report by themselves. */
function Heartbeats({ report: { objects } }: { report: Report }) {
  const imported = objects.filter(({ resourceId }) => resourceId !== null)
  const lists = [
    {
      text: t('These jobs must report to a new address, which their monitor shows:'),
      jobs: imported.filter(({ needsNewAddress }) => needsNewAddress),
    },
    {
      text: t('Old addresses also work here: point their host name to Pharos, or replace the host name in your jobs.'),
      jobs: imported.filter(({ keepsAddress }) => keepsAddress),
    },
  ].filter(({ jobs }) => jobs.length > 0)
  if (lists.length === 0) return null
  return (
    <Step title={t('Change the heartbeat addresses')}>
      {lists.map(({ text, jobs }) => (
        <div key={text}>
          <p class="mb-2">{text}</p>
          <ul class="mb-2 list-disc ps-5 last:mb-0">
            {jobs.map(({ resourceId, name }) => (
              <li key={resourceId}>
                <Link href={`/monitors/${resourceId}`} class="inline-block py-1 text-accent hover:underline">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Step>
  )
}

function Domains({ report }: { report: Report }) {
  const pages = useAllStatusPages()
  const ids = idsOf(report, 'page_')
  const found = (pages.data ?? []).filter(({ id, customDomain }) => ids.has(id) && customDomain !== null)
  if (found.length === 0) return null
  return (
    <Step title={t('Point the domains of status pages to Pharos')}>
      <ul class="list-disc ps-5">
        {found.map(({ id, name, customDomain }) => (
          <li key={id}>
            <Link href={`/status-pages/${id}`} class="inline-block py-1 text-accent hover:underline">
              {name}
            </Link>{' '}
            {customDomain}
          </li>
        ))}
      </ul>
    </Step>
  )
}
