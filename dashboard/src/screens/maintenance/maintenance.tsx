import { useQuery } from '@tanstack/preact-query'
import { CalendarPlus } from 'lucide-preact'
import { Link } from 'wouter-preact'
import type { Clients } from '../../api/client.ts'
import { fetchAllPages } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { localZone, relativeTime } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { timeRangeIn } from '../../lib/time-zones.ts'
import { useNow } from '../../lib/use-now.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { describeRecurrence } from './describe-recurrence.ts'
import type { Window } from './draft.ts'
import { timingOf } from './occurrences.ts'
import { WeekStrip } from './week-strip.tsx'
import { CoveredByLabels } from './window-selector.tsx'
import { WindowStatusLabel } from './window-status.tsx'

const PER_PAGE = 25

/** Scheduled, running and past windows. */
export default function Maintenance() {
  const { api, key, may } = useOrganization()
  const [params, change] = useSearchState()
  const offset = Math.max(0, Number(params.get('offset')) || 0)
  const open = useQuery({ queryKey: key('maintenance', 'open'), queryFn: () => openWindows(api) })
  const over = useQuery({ queryKey: key('maintenance', 'over', offset), queryFn: () => pastWindows(api, offset) })
  const mayWrite = may('MEMBER')
  return (
    <Page title={t('Maintenance windows')} lead={<WindowsSummary windows={open.data} />} actions={mayWrite && <Plan />}>
      <QueryResult query={open}>
        {(windows) => (
          <>
            {windows.length + (over.data?.pagination.total ?? 0) > 0 && (
              <WeekStrip
                windows={[...windows, ...(over.data?.data ?? [])]}
                week={Math.trunc(Number(params.get('week')) || 0)}
                onWeek={(week) => change({ week: week === 0 ? null : String(week) })}
              />
            )}
            <List title={t('In progress')} windows={windows.filter(({ status }) => status === 'IN_PROGRESS')} />
            <List title={t('Scheduled')} windows={windows.filter(({ status }) => status === 'SCHEDULED')} />
            {windows.length === 0 && (
              <div class="mb-8">
                <EmptyState title={t('No maintenance scheduled')} action={mayWrite && <Plan />}>
                  {t(
                    'During a maintenance window alerts are off, the time doesn’t count towards uptime, and your status pages announce it.',
                  )}
                </EmptyState>
              </div>
            )}
          </>
        )}
      </QueryResult>
      {open.data !== undefined && (
        <QueryResult query={over}>
          {({ data, pagination }) => (
            <>
              <List title={t('Completed')} windows={data} />
              <Pager {...pagination} onOffset={(next) => change({ offset: next === 0 ? null : String(next) })} />
            </>
          )}
        </QueryResult>
      )}
    </Page>
  )
}

async function openWindows(api: Clients['api']): Promise<readonly Window[]> {
  const ask = (status: 'IN_PROGRESS' | 'SCHEDULED') =>
    fetchAllPages((page) => api.GET('/api/v1/maintenance-windows', { query: { ...page, status } }))
  const found = (await Promise.all([ask('IN_PROGRESS'), ask('SCHEDULED')])).flat()
  const begin = ({ currentOccurrence, nextOccurrence, startsAt }: Window) =>
    (currentOccurrence ?? nextOccurrence)?.startsAt ?? startsAt
  return found.sort((a, b) => begin(a).localeCompare(begin(b)))
}

/** Newest first; the API lists oldest first. */
async function pastWindows(api: Clients['api'], offset: number) {
  const ask = (limit: number, from: number) =>
    api.GET('/api/v1/maintenance-windows', { query: { status: 'COMPLETED', limit, offset: from } })
  const { total } = (await ask(1, 0)).pagination
  const end = total - offset
  const from = Math.max(0, end - PER_PAGE)
  const data = end <= 0 ? [] : (await ask(Math.max(1, end - from), from)).data
  return { data: data.toReversed(), pagination: { limit: PER_PAGE, offset, total } }
}

function WindowsSummary({ windows }: { windows: readonly Window[] | undefined }) {
  const now = useNow()
  if (windows === undefined) return <>{t('Planned work without alerts.')}</>
  const running = windows.filter(({ status }) => status === 'IN_PROGRESS')
  const next = windows
    .flatMap(({ name, nextOccurrence }) => (nextOccurrence === null ? [] : [{ name, at: nextOccurrence.startsAt }]))
    .sort((a, b) => a.at.localeCompare(b.at))[0]
  const first =
    running.length === 0
      ? t('Nothing in progress.')
      : t('{length} in progress.', { length: plural(running.length, 'window') })
  return (
    <>
      {first}{' '}
      {next ? t('Next: {name}, {at}.', { name: next.name, at: relativeTime(next.at, now) }) : t('Nothing scheduled.')}
    </>
  )
}

function Plan() {
  return (
    <LinkButton href="/maintenance/new" look="primary" icon={<CalendarPlus />}>
      {t('Schedule maintenance')}
    </LinkButton>
  )
}

function List({ title, windows }: { title: string; windows: readonly Window[] }) {
  if (windows.length === 0) return null
  return (
    <Section title={title}>
      <ul class="card divide-y divide-line">
        {windows.map((window) => (
          <Row key={window.id} window={window} />
        ))}
      </ul>
    </Section>
  )
}

function Coverage({ window: { id, allMonitors, monitorIds } }: { window: Window }) {
  if (allMonitors) return <span>{t('All monitors')}</span>
  return monitorIds.length === 0 ? <CoveredByLabels id={id} /> : <span>{plural(monitorIds.length, 'monitor')}</span>
}

function Row({ window }: { window: Window }) {
  const occurrence = window.currentOccurrence ?? window.nextOccurrence ?? window
  const [start, end] = [Date.parse(occurrence.startsAt), Date.parse(occurrence.endsAt)]
  return (
    <li class="relative flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 hover:bg-ground">
      <div class="min-w-0 grow basis-72">
        <Link href={`/maintenance/${window.id}`} class="font-semibold after:absolute after:inset-0">
          {window.name}
        </Link>
        <p class="mt-0.5 text-muted">
          {window.recurrence === 'NONE'
            ? `${timeRangeIn(start, end, localZone)}, ${localZone}`
            : describeRecurrence(timingOf(window))}
        </p>
      </div>
      <div class="flex flex-wrap items-center gap-x-4">
        <span class="text-muted">
          <Coverage window={window} />
        </span>
        <WindowStatusLabel status={window.status} />
      </div>
    </li>
  )
}
