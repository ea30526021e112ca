import { all, ask, q, run, statement, type Work } from '../../storage/query.ts'
import { occurrencesWithin, phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { MaintenanceStatus, Occurrence } from '../maintenance-coverage/types.ts'
import { windowsOf } from './rows.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'
import { isShownOn } from './shown.ts'

interface Gone {
  orgId: string
  num: number
}

const covering = statement(({ orgId, num }: Gone) =>
  q
    .selectFrom('maintenance_windows')
    .select(['id', 'monitor_ids'])
    .where('org_id', '=', orgId)
    .where('id', 'in', (of) =>
      of.selectFrom('maintenance_monitors').select('window_id').where('org_id', '=', orgId).where('num', '=', num),
    )
    .orderBy('id')
    .forUpdate(),
)

const saveMonitors = statement((w: { orgId: string; id: string; monitorIds: string; now: number }) =>
  q
    .updateTable('maintenance_windows')
    .set({ monitor_ids: w.monitorIds, updated_at: w.now })
    .where('org_id', '=', w.orgId)
    .where('id', '=', w.id),
)

const unlink = statement(({ orgId, num }: Gone) =>
  q.deleteFrom('maintenance_monitors').where('org_id', '=', orgId).where('num', '=', num),
)

/** Takes a monitor that is about to be deleted out of every window; one that named no other stays, and covers nothing. */
export function* takeOutOfWindows(orgId: string, monitor: { num: number; id: string }, now: number): Work<void> {
  const { num } = monitor
  const windows = yield* all(covering, { orgId, num })
  for (const { id, monitor_ids: named } of windows) {
    const left = (JSON.parse(named) as string[]).filter((other) => other !== monitor.id)
    yield* run(saveMonitors, { orgId, id, monitorIds: JSON.stringify(left), now })
  }
  if (windows.length > 0) yield* run(unlink, { orgId, num })
}

/** A window as the readers of a status page are told of it. */
export interface PageMaintenance extends Occurrence {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly status: MaintenanceStatus
  /** Whether it covers the monitor of this number. */
  covers(num: number): boolean
}

interface Place {
  readonly orgId: string
  readonly pageId: string
}

/** No page shows more windows at once. */
const MOST_SHOWN = 100

const comingOn = statement(({ orgId, pageId, before }: Place & { readonly before: number }) =>
  windowsOf(orgId)
    .where('w.next_transition_at', 'is not', null)
    .where((is) => is.or([is('w.next_transition_at', '<', before), is('w.status', '=', 'IN_PROGRESS')]))
    .where(isShownOn(orgId, pageId))
    .orderBy('w.next_transition_at')
    .limit(MOST_SHOWN),
)

/** The windows that a page shows and that are under way, or begin before a moment; those that begin first come first. */
export function* maintenanceOn(place: Place, now: number, before: number): Work<readonly PageMaintenance[]> {
  const rows = yield* all(comingOn, { ...place, before })
  const shown = rows.flatMap((row): Shown[] => {
    const { status, current, next } = phaseAt(timingOf(row), now)
    const occurrence = current ?? next
    return occurrence === null || occurrence.startsAt >= before ? [] : [{ row, status, occurrence }]
  })
  const told = yield* withCovers(place.orgId, shown)
  return told.toSorted((a, b) => a.startsAt - b.startsAt)
}

/**
 * What is over of the windows that a page shows, the latest first: occurrences that ended between two moments. Of a
 * recurring window those are left out that were before anybody had told of it.
 */
export function* pastMaintenanceOn(
  { orgId, pageId }: Place,
  from: number,
  to: number,
  limit: number,
): Work<readonly PageMaintenance[]> {
  const rows = yield* ask(
    windowsOf(orgId)
      .where('w.starts_at', '<', to)
      .where((is) => is.or([is('w.recurrence', '!=', 'NONE'), is('w.ends_at', '>', from)]))
      .where(isShownOn(orgId, pageId))
      .orderBy('w.seq', 'desc')
      .limit(MOST_SHOWN),
  )
  const past = rows.flatMap((row): Shown[] => {
    const timing = timingOf(row)
    const since = timing.recurrence === 'NONE' ? from : Math.max(from, row.created_at)
    const ended = occurrencesWithin(timing, since, to, MOST_PAST).filter(({ endsAt }) => endsAt <= to)
    return ended.map((occurrence) => ({ row, status: 'COMPLETED', occurrence }))
  })
  const latest = past.toSorted((a, b) => b.occurrence.startsAt - a.occurrence.startsAt).slice(0, limit)
  return yield* withCovers(orgId, latest)
}

/** More than a window can have within the longest history. */
const MOST_PAST = 400

interface Shown {
  readonly row: MaintenanceRow
  readonly status: MaintenanceStatus
  readonly occurrence: Occurrence
}

function* withCovers(orgId: string, shown: readonly Shown[]): Work<readonly PageMaintenance[]> {
  const ids = [...new Set(shown.map(({ row }) => row.id))]
  const links = ids.length === 0 ? [] : yield* ask(linksOf(orgId, ids))
  const nums = Map.groupBy(links, ({ window_id: id }) => id)
  return shown.map(({ row, status, occurrence }) => {
    const its = new Set(nums.get(row.id)?.map(({ num }) => num))
    const { id, name, description } = row
    return { id, name, description, status, ...occurrence, covers: (num) => row.all_monitors === 1 || its.has(num) }
  })
}

function linksOf(orgId: string, ids: readonly string[]) {
  return q
    .selectFrom('maintenance_monitors')
    .select(['window_id', 'num'])
    .where('org_id', '=', orgId)
    .where('window_id', 'in', [...ids])
}
