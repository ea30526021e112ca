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
        <EmptyState title="Viewers cannot add monitors" action={<LinkButton href="/">Overview</LinkButton>}>
          Ask a member of the organization to do it, or an administrator for the role Member.
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      key={monitorId}
      title={monitorId === null ? 'What should we watch?' : 'It is being watched'}
      lead={
        monitorId === null
          ? 'An address, a host or host:port. Pharos looks at it at once, and then again and again.'
          : 'What it finds appears here by itself.'
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
        <section aria-label="The new monitor" class="card p-5">
          <div class="flex flex-wrap items-center gap-x-4 gap-y-2" aria-live="polite">
            <StateLabel state={state} large />
            <span class="min-w-0 grow text-base font-semibold">{name}</span>
          </div>
          <p class="mt-1 text-muted">
            {state === 'PENDING' && 'The first check is under way…'}
            {state === 'DOWN' && 'It is down right now; you will see here when it is up.'}
            {(state === 'UP' || state === 'DEGRADED') &&
              (lastResponseMs === null ? 'It answers.' : `It answered in ${milliseconds(lastResponseMs)}.`)}{' '}
            {state !== 'PENDING' && `The next look is within ${duration(intervalSeconds)}.`}
          </p>
          <p class="mt-3 flex flex-wrap gap-x-4 gap-y-1">
            <Link href={`/monitors/${id}`} class="link">
              Look at it
            </Link>
            <Link href="/settings/contacts" class="link">
              Choose who is told
            </Link>
            <Link href="/welcome" class="link">
              Watch something else
            </Link>
          </p>
        </section>
      )}
    </QueryResult>
  )
}
