import { useQuery } from '@tanstack/preact-query'
import { Plus } from 'lucide-preact'
import { Link, Redirect } from 'wouter-preact'
import { type AppSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { useNow } from '../../lib/use-now.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { type State, StateShape, states } from '../../ui/state.tsx'
import { IncidentList } from '../incidents/incident-list.tsx'
import { Expiring, NextMaintenance, Slowest } from './highlights.tsx'
import { summarySentence } from './summary-sentence.ts'

/** Summary of all monitors, then open problems. */
export default function Overview() {
  const { app, key, may } = useOrganization()
  const now = useNow()
  const overview = useQuery({
    queryKey: key('monitor', 'overview'),
    queryFn: () => unwrap(app.GET('/app/api/overview')),
  })
  const { data } = overview
  if (data?.counts.total === 0) return may('MEMBER') ? <Redirect to="/welcome" replace /> : <Nothing />
  return (
    <Page
      title="Overview"
      heading={
        data === undefined ? undefined : (
          <>
            <span class="sr-only">Overview: </span>
            <span class="inline-flex items-baseline gap-2.5">
              <StateShape state={worst(data.counts)} size={18} />
              <span>{summarySentence(data, now)}</span>
            </span>
          </>
        )
      }
      actions={
        may('MEMBER') && (
          <LinkButton href="/monitors/new" icon={<Plus size={16} aria-hidden="true" />}>
            New monitor
          </LinkButton>
        )
      }
    >
      <QueryResult query={overview} lines={10}>
        {(told) => (
          <>
            <Counts counts={told.counts} />
            <OpenIncidents />
            <div class="grid grid-cols-1 gap-x-8 lg:grid-cols-2">
              <Slowest slowest={told.slowest} />
              <div>
                <Expiring expiring={told.expiring} />
                <NextMaintenance />
              </div>
            </div>
          </>
        )}
      </QueryResult>
    </Page>
  )
}

function Nothing() {
  return (
    <Page title="Overview">
      <EmptyState title="No monitors yet">The status of your monitors appears here once someone adds one.</EmptyState>
    </Page>
  )
}

type Counts = AppSchemas['Overview']['counts']
const shown = ['DOWN', 'DEGRADED', 'PENDING', 'UP', 'PAUSED'] as const satisfies readonly State[]

function countOf(counts: Counts, state: (typeof shown)[number]): number {
  return counts[state.toLowerCase() as 'up']
}

function worst(counts: Counts): State {
  return shown.find((state) => countOf(counts, state) > 0) ?? 'PENDING'
}

/** Number of monitors per state, with links. */
function Counts({ counts }: { counts: Counts }) {
  return (
    <ul class="mb-8 grid grid-cols-6 gap-2 sm:grid-cols-5 sm:gap-3" aria-label="Monitors by status">
      {shown.map((state, i) => {
        const count = countOf(counts, state)
        return (
          <li key={state} class={i < 2 ? 'col-span-3 sm:col-span-1' : 'col-span-2 sm:col-span-1'}>
            <Link
              href={`/monitors?state=${state}`}
              class={`card block px-4 py-3 hover:border-line-strong ${count === 0 ? 'text-muted' : ''}`}
            >
              <span class={`block text-xl font-semibold ${count === 0 ? '' : states[state].text}`}>
                {count.toLocaleString()}
              </span>
              <span class="flex items-center gap-1.5">
                <StateShape state={state} size={10} />
                {states[state].word}
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

const MOST = 10

function OpenIncidents() {
  const { api, key } = useOrganization()
  const incidents = useQuery({
    queryKey: key('incident', 'open'),
    queryFn: () => unwrap(api.GET('/api/v1/incidents', { params: { query: { status: 'ONGOING', limit: MOST } } })),
  })
  return (
    <Section title="Open incidents">
      <QueryResult query={incidents} lines={2}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <p class="card px-4 py-4 text-muted">
              No open incidents.{' '}
              <Link href="/incidents?status=resolved" class="link">
                Past incidents
              </Link>
            </p>
          ) : (
            <>
              <IncidentList incidents={data} />
              {pagination.total > data.length && (
                <p class="mt-2">
                  <Link href="/incidents" class="link">
                    All {pagination.total.toLocaleString()} open incidents
                  </Link>
                </p>
              )}
            </>
          )
        }
      </QueryResult>
    </Section>
  )
}
