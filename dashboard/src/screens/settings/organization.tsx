import { useMutation, useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { interval, listOf, number } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { planLabels } from '../../lib/labels.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Form, NameField } from '../../ui/form.tsx'
import { ErrorNotice, InfoNotice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Name of the organization and plan usage. */
export default function Organization() {
  const { organization, may } = useOrganization()
  const usage = useGet('organization', '/api/v1/usage', { staleTime: 0 })
  return (
    <Page title={t('Organization')} lead={t('Name, plan and usage')}>
      <Section title={t('Name, time zone and URL')}>
        <div class="card space-y-4 p-4">
          {may('ADMIN') ? <Rename /> : <p class="font-medium">{organization.name}</p>}
          <dl class="flex flex-wrap gap-x-8 gap-y-2 text-muted">
            <Identity name={t('Dashboard URL')} value={`${window.location.origin}/o/${organization.slug}`} />
            <Identity name={t('ID')} value={organization.id} />
          </dl>
        </div>
      </Section>
      <Section title={t('Plan and usage')}>
        <QueryResult query={usage}>{(data) => <Plan usage={data} />}</QueryResult>
      </Section>
      {may('ADMIN') && <MailSettings />}
    </Page>
  )
}

function Identity({ name, value }: { name: string; value: string }) {
  return (
    <div class="flex min-w-0 flex-wrap items-center gap-x-2">
      <dt>{name}</dt>
      <dd class="flex min-w-0 items-center gap-1 font-mono text-xs break-all text-ink">
        {value}
        <CopyButton text={value} label={t('Copy {name}', { name })} />
      </dd>
    </div>
  )
}

function Rename() {
  const { organization, app } = useOrganization()
  const queries = useQueryClient()
  const [name, setName] = useState(organization.name)
  const [timezone, setTimezone] = useState(organization.timezone)
  const submit = async () => {
    await app.PATCH('/app/api/organization', { body: { name, timezone } })
    await queries.invalidateQueries({ queryKey: ['me'] })
    showToast(t('Saved'))
  }
  return (
    <Form action={t('Save')} onSubmit={submit} class="space-y-4 sm:max-w-md" bar="flex">
      <NameField
        autocomplete="organization"
        hint={t('Shown to members. Status pages have their own names.')}
        value={name}
        onValue={setName}
      />
      <TimeZoneField
        value={timezone}
        onValue={setTimezone}
        hint={t('Monthly uptime reports use calendar months of this zone.')}
      />
    </Form>
  )
}

function Plan({ usage }: { usage: PublicSchemas['Usage'] }) {
  const { plan, subscription, fastestIntervalSeconds, rawResultsDays } = usage
  return (
    <div class="space-y-3">
      {subscription === 'INACTIVE' && (
        <InfoNotice>
          {t(
            'The subscription is not active. Existing monitors keep running, but you can’t add anything. Ask the operator of this installation.',
          )}
        </InfoNotice>
      )}
      <div class="card p-4">
        <p class="text-base font-semibold">{planLabels[plan]}</p>
        <p class="text-muted">
          {tx(
            'Checks every {fastestIntervalSeconds} or slower. Check results are kept for {rawResultsDays}, hourly and daily statistics longer.',
            { fastestIntervalSeconds: interval(fastestIntervalSeconds), rawResultsDays: plural(rawResultsDays, 'day') },
          )}
        </p>
        <div class="mt-4 grid grid-cols-[repeat(auto-fit,minmax(min(100%,15rem),1fr))] gap-x-8 gap-y-4">
          <Meter name={t('Monitors')} {...usage.monitors} />
          <Meter name={t('Status pages')} {...usage.statusPages} />
          <Meter name={t('Webhook endpoints')} {...usage.webhookEndpoints} />
          <Meter name={t('Published incidents')} {...usage.publishedIncidents} />
          <Meter name={t('Maintenance windows')} {...usage.maintenanceWindows} />
        </div>
      </div>
    </div>
  )
}

const NEAR_LIMIT = 0.8

function Meter({ name, used, limit }: { name: string } & PublicSchemas['UsageMeter']) {
  const share = limit === null || limit === 0 ? 0 : used / limit
  const left = limit === null ? null : Math.max(0, limit - used)
  return (
    <div>
      <p class="flex items-baseline gap-1.5">
        <span class="grow text-muted">{name}</span>
        <span class="whitespace-nowrap">
          <span class="text-base font-semibold">{number(used)}</span>
          {limit !== null && <span class="text-muted"> {tx('of {limit}', { limit: number(limit) })}</span>}
        </span>
      </p>
      {limit === null ? (
        <p class="text-xs text-muted">{t('No limit')}</p>
      ) : (
        <>
          {/* The surrounding text says the same. */}
          <div aria-hidden="true" class="my-1.5 h-2 overflow-hidden rounded-full bg-none">
            <div
              class={`h-full rounded-full ${share >= NEAR_LIMIT ? 'bg-degraded' : 'bg-accent'}`}
              style={{ width: `${Math.min(100, share * 100)}%` }}
            />
          </div>
          <p class={`text-xs ${share >= NEAR_LIMIT ? 'text-degraded-text' : 'text-muted'}`}>
            {left === 0 ? t('Limit reached') : t('{left} left', { left: left === null ? '' : number(left) })}
          </p>
        </>
      )}
    </div>
  )
}

/** Whether this installation can send e-mail, and what is missing. */
function MailSettings() {
  const settings = useGet('organization', '/app/api/organization/mail')
  return (
    <Section title={t('E-mail')}>
      <div class="card space-y-3 p-4">
        <QueryResult query={settings} lines={2}>
          {({ missing }) =>
            missing.length === 0 ? (
              <TestMail />
            ) : (
              <>
                <p>{t('This installation cannot send e-mail.')}</p>
                <p class="text-muted">{t('Set {variables}, then restart.', { variables: listOf(missing) })}</p>
              </>
            )
          }
        </QueryResult>
      </div>
    </Section>
  )
}

function TestMail() {
  const { app } = useOrganization()
  const test = useMutation({ mutationFn: () => app.POST('/app/api/organization/test-mail') })
  return (
    <>
      <p class="text-muted">
        {t('A mail server is set up. Send a test mail to your own address to see whether it works.')}
      </p>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        {t('Send test mail')}
      </Button>
      <div role="status">
        {test.data?.sent === true && tx('Test mail sent to {to}. Check your inbox.', { to: test.data.to })}
        {test.data?.sent === false && (
          <span class="text-down-text">{tx('Not sent: {error}', { error: test.data.error ?? '' })}</span>
        )}
      </div>
      {test.isError && <ErrorNotice problem={test.error} />}
    </>
  )
}
