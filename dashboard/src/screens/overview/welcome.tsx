import { Check, ExternalLink, Globe, ShieldCheck, TextSearch, Timer } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { RequestError } from '../../api/api-error.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { duration, interval, localZone, milliseconds } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { EmptyState, ErrorNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { StateLabel } from '../../ui/state.tsx'
import { defaultInterval, useUsage } from '../monitors/default-interval.ts'
import { publicNameOf, slugFor } from './public-name.ts'
import { QuickAddForm } from './quick-add-form.tsx'

/** First steps: add a monitor, see its first result, publish a page. The step is in the URL. */
export default function Welcome() {
  const { may } = useOrganization()
  const [search, change] = useSearchState()
  const monitorId = search.get('monitor')
  const monitor = useMonitor(monitorId)
  const hasResult = monitor.data !== undefined && monitor.data.state !== 'PENDING'
  const usage = useUsage()
  const every = defaultInterval(usage.data?.fastestIntervalSeconds ?? 0)
  if (!may('MEMBER')) {
    return (
      <Page title={t('Welcome')}>
        <EmptyState title={t('Viewers can’t add monitors')} action={<LinkButton href="/">{t('Overview')}</LinkButton>}>
          {t('Ask an admin for the Member role.')}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      key={monitorId}
      narrow
      title={monitorId === null ? t('What do you want to monitor?') : t('Monitoring started')}
      heading={
        <span class="flex items-center gap-3">
          <span class="flex size-12 shrink-0 items-center justify-center rounded-full border border-line bg-surface">
            <Mark size={26} />
          </span>
          {monitorId === null ? t('What do you want to monitor?') : t('Monitoring started')}
        </span>
      }
      lead={
        monitorId === null
          ? t('Enter a URL, a host or host:port. We’ll check it now, then every {every}.', { every: interval(every) })
          : t('Results appear here live.')
      }
    >
      <Steps current={monitorId === null ? 0 : hasResult ? 2 : 1} />
      <div class="space-y-6">
        {monitorId === null ? (
          <>
            <QuickAddForm onSaved={(id) => change({ monitor: id })} />
            <OtherTypes />
          </>
        ) : (
          <>
            <FirstResult id={monitorId} monitor={monitor} />
            <PublishPage monitorId={monitorId} />
          </>
        )}
      </div>
    </Page>
  )
}

const steps = [t('Add a monitor'), t('See the first result'), t('Set up alerts')] as const

function Steps({ current }: { current: number }) {
  return (
    <ol class="mb-6 flex gap-x-6 gap-y-2 max-sm:flex-col" aria-label={t('First steps')}>
      {steps.map((step, i) => (
        <li
          key={step}
          aria-current={i === current ? 'step' : undefined}
          class={`flex items-center gap-2 ${i === current ? 'font-semibold' : 'text-muted'}`}
        >
          <span
            aria-hidden="true"
            class={`flex size-6 items-center justify-center rounded-full text-xs font-semibold ${i < current ? 'bg-up-text text-surface' : i === current ? 'bg-accent text-on-accent' : 'border border-line-strong'}`}
          >
            {i < current ? <Check size={14} /> : i + 1}
          </span>
          {step}
        </li>
      ))}
    </ol>
  )
}

/** Types that an address alone does not suggest. */
const others = [
  { type: 'CRON', icon: Timer, name: t('Cron job'), description: t('Alerts when a job does not report in time') },
  { type: 'KEYWORD', icon: TextSearch, name: t('Keyword'), description: t('Looks for a text on a page') },
  { type: 'SSL', icon: ShieldCheck, name: t('Certificate'), description: t('Alerts before a certificate expires') },
  { type: 'DOMAIN', icon: Globe, name: t('Domain'), description: t('Alerts before a domain expires') },
] as const

function OtherTypes() {
  return (
    <section aria-labelledby="other-types">
      <h2 id="other-types" class="mb-3 font-semibold">
        {t('Or monitor something else')}
      </h2>
      <ul class="grid gap-3 sm:grid-cols-2">
        {others.map(({ type, icon: Icon, name, description }) => (
          <li key={type}>
            <Link
              href={`/monitors/new?type=${type}`}
              class="card flex h-full items-center gap-3 px-4 py-3 hover:border-line-strong"
            >
              <Icon size={20} class="shrink-0 text-accent" />
              <span>
                <span class="block font-medium">{name}</span>
                <span class="text-muted">{description}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function useMonitor(id: string | null) {
  const monitorId = id ?? ''
  return useGet(['monitor', monitorId], '/api/v1/monitors/{monitorId}', { path: { monitorId }, enabled: id !== null })
}

/** The new monitor with live updates. */
function FirstResult({ id, monitor }: { id: string; monitor: ReturnType<typeof useMonitor> }) {
  return (
    <QueryResult query={monitor} lines={2}>
      {({ name, state, lastResponseMs, intervalSeconds }) => (
        <section aria-label={t('New monitor')} class="card p-5">
          <div class="flex flex-wrap items-center gap-x-4 gap-y-2" aria-live="polite">
            <StateLabel state={state} large />
            <span class="min-w-0 grow text-base font-semibold">{name}</span>
          </div>
          <p class="mt-1 text-muted">
            {state === 'PENDING' && t('First check in progress…')}
            {state === 'DOWN' && t('The first check failed.')}
            {(state === 'UP' || state === 'DEGRADED') &&
              (lastResponseMs === null
                ? t('The first check succeeded.')
                : t('Responded in {lastResponseMs}.', { lastResponseMs: milliseconds(lastResponseMs) }))}{' '}
            {state !== 'PENDING' &&
              t('Next check within {intervalSeconds}.', { intervalSeconds: duration(intervalSeconds) })}
          </p>
          <div class="mt-4 flex flex-wrap gap-2">
            <LinkButton href="/settings/contacts" look="primary">
              {t('Set up alerts')}
            </LinkButton>
            <LinkButton href={`/monitors/${id}`}>{t('View monitor')}</LinkButton>
            <LinkButton href="/welcome">{t('Add another')}</LinkButton>
          </div>
        </section>
      )}
    </QueryResult>
  )
}

/** Creates a status page with the new monitor, or links to existing pages. */
function PublishPage({ monitorId }: { monitorId: string }) {
  const { api, refresh, organization } = useOrganization()
  const [createdId, setCreatedId] = useState<string>()
  const doing = useRunningAction()
  const pages = useGet('status_page', '/api/v1/status-pages', { query: { limit: 25 } })
  const publish = async () => {
    const monitor = await api.GET('/api/v1/monitors/{monitorId}', { path: { monitorId } })
    const displayName = publicNameOf(monitor.name, t('Website'))
    const body = {
      name: t('{name} status', { name: organization.name }),
      timezone: localZone,
      published: true,
      sections: [{ name: t('Services'), monitors: [{ monitorId, displayName }] }],
    }
    const slug = slugFor(organization.name)
    // An address that somebody else has: the server finds a free one.
    const page = await api
      .POST('/api/v1/status-pages', { body: { ...body, ...(slug && { slug }) } })
      .catch((problem) => {
        if (!(problem instanceof RequestError) || problem.status >= 500 || problem.status === 0) throw problem
        return api.POST('/api/v1/status-pages', { body })
      })
    setCreatedId(page.id)
    await refresh('status_page')
  }
  return (
    <QueryResult query={pages} lines={2}>
      {({ data }) => {
        const page = data.find(({ id }) => id === createdId) ?? data[0]
        if (page !== undefined) return <Published page={page} isNew={page.id === createdId} />
        return (
          <section aria-labelledby="publish-heading" class="card p-5">
            <h2 id="publish-heading" class="text-base font-semibold">
              {t('Create a status page?')}
            </h2>
            <p class="mt-1 text-muted">
              {t(
                'A public page with the current status, incidents and maintenance. You can edit or unpublish it at any time.',
              )}
            </p>
            <ErrorNotice problem={doing.problem} class="mt-3" />
            <div class="mt-4 flex flex-wrap gap-2">
              <Button busy={doing.busy !== null} onClick={() => void doing.run('publish', publish)}>
                {t('Publish status page')}
              </Button>
              <LinkButton href="/">{t('Not now')}</LinkButton>
            </div>
          </section>
        )
      }}
    </QueryResult>
  )
}

function Published({ page, isNew }: { page: { id: string; name: string; url: string }; isNew: boolean }) {
  return (
    <section aria-label={t('Status page')} class="card p-5" aria-live="polite">
      <h2 class="text-base font-semibold">{isNew ? t('Your status page is live') : t('You have a status page')}</h2>
      <p class="mt-1">
        <a href={page.url} target="_blank" rel="noreferrer" class="link inline-flex items-center gap-1 break-all">
          {page.url}
          <ExternalLink size={14} class="shrink-0" />
          <span class="sr-only">{t('(opens in a new tab)')}</span>
        </a>
      </p>
      <div class="mt-4 flex flex-wrap gap-2">
        <LinkButton href="/">{t('Go to overview')}</LinkButton>
        <LinkButton href={`/status-pages/${page.id}`}>{tx('Edit {name}', { name: page.name })}</LinkButton>
      </div>
    </section>
  )
}
