import { CircleCheck, Plus, Tv } from 'lucide-preact'
import { Link, Redirect } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { duration, number } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { stateLabels } from '../../lib/labels.ts'
import { useNow } from '../../lib/use-now.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { type State, StateShape, states } from '../../ui/state.tsx'
import { IncidentList } from '../incidents/incident-list.tsx'
import { AlertBanner } from '../monitors/alert-banner.tsx'
import { OutlivedNotice } from '../published-incidents/outlived-notice.tsx'
import { Expiring, NextMaintenance, Slowest } from './highlights.tsx'
import { SetupChecklist } from './setup-checklist.tsx'

/** Summary of all monitors, then open problems. */
export default function Overview() {
  const { may } = useOrganization()
  const now = useNow()
  const overview = useGet('monitor', '/api/v1/overview')
  const { data } = overview
  if (data?.counts.total === 0) return may('MEMBER') ? <Redirect to="/welcome" replace /> : <Nothing />
  return (
    <Page
      title={t('Overview')}
      heading={
        data === undefined ? undefined : (
          <>
            <span class="sr-only">{t('Overview:')} </span>
            <span class="inline-flex items-baseline gap-2.5">
              <StateShape state={worst(data.counts)} size={18} />
              <span>{summarySentence(data, now)}</span>
            </span>
          </>
        )
      }
      wide
      actions={
        <>
          <LinkButton href="/?board" icon={<Tv />}>
            {t('Wall board')}
          </LinkButton>
          {may('MEMBER') && (
            <LinkButton href="/monitors/new" look="primary" icon={<Plus />}>
              {t('New monitor')}
            </LinkButton>
          )}
        </>
      }
    >
      <QueryResult query={overview} lines={10}>
        {(overview) => (
          <>
            {/* What is broken comes before everything else. */}
            {overview.counts.down > 0 && <OpenIncidents />}
            <OutlivedNotice />
            <AlertBanner />
            <SetupChecklist />
            <Counts counts={overview.counts} />
            {/* Two columns from 1280 px, three from 1920 px. */}
            <div class="grid grid-cols-1 gap-x-8 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] min-[120rem]:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
              <div>
                {overview.counts.down === 0 && <OpenIncidents />}
                <RecentIncidents />
              </div>
              <div class="grid grid-cols-1 content-start gap-x-8 lg:max-xl:grid-cols-2 min-[120rem]:contents">
                <Slowest slowest={overview.slowest} />
                <div>
                  <Expiring expiring={overview.expiring} />
                  <NextMaintenance />
                </div>
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
    <Page title={t('Overview')}>
      <EmptyState title={t('No monitors yet')}>
        {t('The status of your monitors appears here once someone adds one.')}
      </EmptyState>
    </Page>
  )
}

type Counts = PublicSchemas['Overview']['counts']
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
    <div class="@container mb-8">
      <ul class="grid grid-cols-6 gap-2 @xl:grid-cols-5 @xl:gap-3" aria-label={t('Monitors by status')}>
        {shown.map((state, i) => {
          const count = countOf(counts, state)
          return (
            <li key={state} class={i < 2 ? 'col-span-3 @xl:col-span-1' : 'col-span-2 @xl:col-span-1'}>
              <Link
                href={`/monitors?state=${state}`}
                class={`card block px-4 py-3 hover:border-line-strong ${count === 0 ? 'text-muted' : ''}`}
              >
                <span class={`block text-xl font-semibold ${count === 0 ? '' : states[state].text}`}>
                  {number(count)}
                </span>
                <span class="flex items-center gap-1.5 whitespace-nowrap">
                  <StateShape state={state} size={10} />
                  {stateLabels[state]}
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const MOST = 10

function OpenIncidents() {
  const incidents = useGet('incident', '/api/v1/incidents', { query: { status: 'ONGOING', limit: MOST } })
  return (
    <Section title={t('Ongoing incidents')}>
      <QueryResult query={incidents} lines={2}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <p class="card flex items-center gap-2 px-4 py-4 text-muted">
              <CircleCheck size={18} class="shrink-0 text-up-text" />
              {t('No ongoing incidents')}
            </p>
          ) : (
            <>
              <IncidentList incidents={data} />
              {pagination.total > data.length && (
                <p class="mt-2">
                  <Link href="/incidents" class="link">
                    {tx('All {value} ongoing incidents', { value: number(pagination.total) })}
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

const RECENT = 5
/** Of these, the latest of each monitor: one that flaps must not hide the others. */
const LOOKED_AT = 50

/** The latest resolved incidents; nothing while there are none. */
function RecentIncidents() {
  const { data: incidents } = useGet('incident', '/api/v1/incidents', {
    query: { status: 'RESOLVED', limit: LOOKED_AT },
  })
  if (incidents === undefined || incidents.data.length === 0) return null
  const byMonitor = Map.groupBy(incidents.data, ({ monitor }) => monitor.id)
  const shown = [...byMonitor.values()].slice(0, RECENT)
  const latest = shown.flatMap(([first]) => (first === undefined ? [] : [first]))
  const counts = new Map(shown.map((own) => [own[0]?.id ?? '', own.length]))
  return (
    <Section
      title={t('Recently resolved')}
      actions={
        <Link href="/incidents?status=resolved" class="link">
          {t('All resolved')}
        </Link>
      }
    >
      <IncidentList incidents={latest} counts={counts} />
    </Section>
  )
}

/** "2 of 48 down. Longest: Checkout, 14 min." */
function summarySentence({ counts, longestDown }: PublicSchemas['Overview'], now: number): string {
  const { down, degraded, pending, paused, total } = counts
  const watched = total - paused
  if (watched === 0)
    return paused === 1
      ? t('Your monitor is paused.')
      : t('All {paused} are paused.', { paused: plural(paused, 'monitor') })
  if (down === 1 && longestDown !== null) {
    return t('{name} is down ({duration}).', {
      name: longestDown.name,
      duration: duration((now - new Date(longestDown.since).getTime()) / 1000),
    })
  }
  if (down > 0) {
    const longest =
      longestDown === null
        ? ''
        : t(' Longest: {name}, {duration}.', {
            name: longestDown.name,
            duration: duration((now - new Date(longestDown.since).getTime()) / 1000),
          })
    return t('{down} of {watched} down.{longest}', {
      down: number(down),
      watched: number(watched),
      longest,
    })
  }
  if (degraded > 0)
    return t('{degraded} of {watched} degraded, none down.', {
      degraded: number(degraded),
      watched: number(watched),
    })
  if (pending === watched) return watched === 1 ? t('First check in progress.') : t('First checks in progress.')
  if (watched === 1) return t('Your monitor is up.')
  return pending === 0
    ? t('All {watched} monitors are up.', { watched: number(watched) })
    : t('All up so far, {pending} not checked yet.', { pending: plural(pending, 'monitor') })
}
