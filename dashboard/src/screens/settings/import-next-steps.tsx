import { Check, Send } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useAllStatusPages, useContacts } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { channelLabel } from '../../lib/labels.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMutes } from '../monitors/mute.tsx'
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
        <Finish report={report} />
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

function useImportedContacts(report: Report) {
  const ids = idsOf(report, 'con_')
  return (useContacts().data ?? []).filter(({ id }) => ids.has(id))
}

function Contacts({ report }: { report: Report }) {
  const { api, may, refresh } = useOrganization()
  const [busy, setBusy] = useState<string>()
  const contacts = useImportedContacts(report)
  if (contacts.length === 0) return null
  const test = async (contactId: string, name: string) => {
    setBusy(contactId)
    const sending = api.POST('/api/v1/contacts/{contactId}/test', { path: { contactId } })
    const text = sending.then(({ sent }) =>
      sent ? t('Test sent to {name}', { name }) : t('Test to {name} failed', { name }),
    )
    showToast(await text.catch((problem: Error) => problem.message))
    await refresh('contact')
    setBusy(undefined)
  }
  return (
    <Step title={t('Test the contacts')}>
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
    </Step>
  )
}

/** Until then, the other tool alerts and this one does not. */
function Finish({ report }: { report: Report }) {
  const { api, may, refresh } = useOrganization()
  const finishing = useRunningAction()
  const waiting = useImportedContacts(report).filter(({ enabled }) => !enabled).length
  const ids = idsOf(report, 'mon_')
  const muted = useMutes().filter(({ monitorId }) => ids.has(monitorId)).length
  const isDone = waiting + muted === 0
  const finish = async () => {
    const body = { source: report.configurationSource }
    const done = await api.POST('/api/v1/configuration/finish-import', { body })
    await refresh('contact', 'monitor')
    const contacts = plural(done.enabledContacts, 'contact')
    showToast(
      t('{contacts} enabled, {monitors} unmuted', { contacts, monitors: plural(done.unmutedMonitors, 'monitor') }),
    )
  }
  return (
    <Step title={t('Finish the import')} isDone={isDone}>
      {isDone ? (
        <p class="text-muted">{t('Pharos alerts your contacts of the imported monitors.')}</p>
      ) : (
        <>
          <p class="mb-3 text-muted">
            {t(
              '{contacts} disabled, {monitors} muted, so that two tools don’t send the same alert. Turn the alerts of the other tool off first.',
              { contacts: plural(waiting, 'contact'), monitors: plural(muted, 'monitor') },
            )}
          </p>
          <ErrorNotice problem={finishing.problem} class="mb-3" />
          {may('MEMBER') && (
            <Button look="primary" busy={finishing.busy !== null} onClick={() => void finishing.run('finish', finish)}>
              {t('Finish import')}
            </Button>
          )}
        </>
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
