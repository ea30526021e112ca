import { useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { duration, milliseconds } from '../../lib/format.ts'
import { useSearchState } from '../../lib/search.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { StateLabel } from '../../ui/state.tsx'
import { PublishPage } from './publish-page.tsx'
import { QuickAddForm } from './quick-add-form.tsx'

/** First steps: add a monitor, see its first result, publish a page. The step is in the URL. */
export default function Welcome() {
  const { may } = useOrganization()
  const [search, change] = useSearchState()
  const monitorId = search.get('monitor')
  if (!may('MEMBER')) {
    return (
      <Page title="Welcome">
        <EmptyState title="Viewers can’t add monitors" action={<LinkButton href="/">Overview</LinkButton>}>
          Ask an admin for the Member role.
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      key={monitorId}
      title={monitorId === null ? 'What do you want to monitor?' : 'Monitoring started'}
      lead={
        monitorId === null
          ? 'Enter a URL, a host or host:port. We’ll check it now, then every minute.'
          : 'Results appear here live.'
      }
    >
      <div class="max-w-2xl space-y-6">
        {monitorId === null ? (
          <QuickAddForm onSaved={(id) => change({ monitor: id })} />
        ) : (
          <>
            <FirstLook id={monitorId} />
            <PublishPage monitorId={monitorId} />
          </>
        )}
      </div>
    </Page>
  )
}

/** The new monitor with live updates. */
function FirstLook({ id }: { id: string }) {
  const { api, key } = useOrganization()
  const monitor = useQuery({
    queryKey: key('monitor', id),
    queryFn: () => unwrap(api.GET('/api/v1/monitors/{monitorId}', { params: { path: { monitorId: id } } })),
  })
  return (
    <QueryResult query={monitor} lines={2}>
      {({ name, state, lastResponseMs, intervalSeconds }) => (
        <section aria-label="New monitor" class="card p-5">
          <div class="flex flex-wrap items-center gap-x-4 gap-y-2" aria-live="polite">
            <StateLabel state={state} large />
            <span class="min-w-0 grow text-base font-semibold">{name}</span>
          </div>
          <p class="mt-1 text-muted">
            {state === 'PENDING' && 'First check in progress…'}
            {state === 'DOWN' && 'The first check failed.'}
            {(state === 'UP' || state === 'DEGRADED') &&
              (lastResponseMs === null
                ? 'The first check succeeded.'
                : `Responded in ${milliseconds(lastResponseMs)}.`)}{' '}
            {state !== 'PENDING' && `Next check within ${duration(intervalSeconds)}.`}
          </p>
          <p class="mt-3 flex flex-wrap gap-x-4 gap-y-1">
            <Link href={`/monitors/${id}`} class="link">
              View monitor
            </Link>
            <Link href="/settings/contacts" class="link">
              Set up alerts
            </Link>
            <Link href="/welcome" class="link">
              Add another
            </Link>
          </p>
        </section>
      )}
    </QueryResult>
  )
}
