import { notFound } from '../../contract/errors.ts'
import { first, keepable, q, run, runEach, statement, type Work } from '../../storage/query.ts'
import type { MaintenanceTable } from '../../storage/schema-maintenance.ts'
import type { Told } from './advance.ts'
import { columnsOf, type MaintenanceRow, type WindowSettings } from './settings.ts'

interface Place {
  orgId: string
  id: string
}

const shown = [
  ...(['id', 'name', 'description', 'starts_at', 'ends_at', 'timezone', 'recurrence', 'recurrence_interval'] as const),
  ...(['days_of_week', 'days_of_month', 'recurrence_ends_at', 'monitor_ids', 'all_monitors'] as const),
  ...(['status_page_ids', 'status', 'next_transition_at', 'coverage_id', 'created_at', 'updated_at'] as const),
] as const

/** For lists whose filters come with the request. */
export function windowsOf(orgId: string) {
  return q
    .selectFrom('maintenance_windows as w')
    .select(shown.map((column) => `w.${column}` as const))
    .where('w.org_id', '=', orgId)
}

const byId = keepable(({ orgId, id }: Place) => windowsOf(orgId).where('w.id', '=', id))

export function* windowOf(orgId: string, id: string): Work<MaintenanceRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('maintenance window')
  return row
}

export type WindowToChange = MaintenanceRow & { readonly seq: number }

const forChange = statement(({ orgId, id }: Place) =>
  windowsOf(orgId).select('w.seq').where('w.id', '=', id).forUpdate(),
)

/** The window, held until the end of the transaction: nobody tells of its start or end meanwhile. */
export function* windowToChange(orgId: string, id: string): Work<WindowToChange> {
  const row = yield* first(forChange, { orgId, id })
  if (row === undefined) throw notFound('maintenance window')
  return row
}

type Columns = Omit<MaintenanceTable, 'org_id' | 'id' | 'seq' | 'created_at'>

const values = (c: Columns) => ({
  name: c.name,
  description: c.description,
  starts_at: c.starts_at,
  ends_at: c.ends_at,
  timezone: c.timezone,
  recurrence: c.recurrence,
  recurrence_interval: c.recurrence_interval,
  days_of_week: c.days_of_week,
  days_of_month: c.days_of_month,
  recurrence_ends_at: c.recurrence_ends_at,
  monitor_ids: c.monitor_ids,
  all_monitors: c.all_monitors,
  status_page_ids: c.status_page_ids,
  status: c.status,
  next_transition_at: c.next_transition_at,
  coverage_id: c.coverage_id,
  updated_at: c.updated_at,
})

const insert = statement((w: Columns & Place & { seq: number }) =>
  q
    .insertInto('maintenance_windows')
    .values({ ...values(w), org_id: w.orgId, id: w.id, seq: w.seq, created_at: w.updated_at }),
)

const update = statement((w: Columns & Place) =>
  q.updateTable('maintenance_windows').set(values(w)).where('org_id', '=', w.orgId).where('id', '=', w.id),
)

/** What is written of a window besides what the user set. */
export interface Written extends Told {
  readonly coverageId: string | null
  readonly now: number
}

function columns(settings: WindowSettings, { status, nextTransitionAt, coverageId, now }: Written): Columns {
  return {
    ...columnsOf(settings),
    status,
    next_transition_at: nextTransitionAt,
    coverage_id: coverageId,
    updated_at: now,
  }
}

export function* insertWindow(
  place: Place & { readonly seq: number },
  settings: WindowSettings,
  written: Written,
): Work<void> {
  yield* run(insert, { ...place, ...columns(settings, written) })
}

export function* saveWindow(place: Place, settings: WindowSettings, written: Written): Work<void> {
  yield* run(update, { ...place, ...columns(settings, written) })
}

const saveTold = statement((w: Place & { status: Told['status']; nextTransitionAt: number | null }) =>
  q
    .updateTable('maintenance_windows')
    .set({ status: w.status, next_transition_at: w.nextTransitionAt })
    .where('org_id', '=', w.orgId)
    .where('id', '=', w.id),
)

export function* saveProgress({ orgId, id }: Place, { status, nextTransitionAt }: Told): Work<void> {
  yield* run(saveTold, { orgId, id, status, nextTransitionAt })
}

const drop = statement(({ orgId, id }: Place) =>
  q.deleteFrom('maintenance_windows').where('org_id', '=', orgId).where('id', '=', id),
)

/** Its links go with it (see the migration). */
export function* dropWindow({ orgId, id }: Place): Work<void> {
  yield* run(drop, { orgId, id })
}

const unlinkMonitors = statement(({ orgId, id }: Place) =>
  q.deleteFrom('maintenance_monitors').where('org_id', '=', orgId).where('window_id', '=', id),
)
const linkMonitor = statement(({ orgId, id, num }: Place & { num: number }) =>
  q.insertInto('maintenance_monitors').values({ org_id: orgId, window_id: id, num }),
)
const unlinkPages = statement(({ orgId, id }: Place) =>
  q.deleteFrom('maintenance_pages').where('org_id', '=', orgId).where('window_id', '=', id),
)
const linkPage = statement(({ orgId, id, pageId }: Place & { pageId: string }) =>
  q.insertInto('maintenance_pages').values({ org_id: orgId, window_id: id, page_id: pageId }),
)

/** Which monitors and pages a window names, for those who look for it by them. */
export function* saveLinks({ orgId, id }: Place, nums: Iterable<number>, pageIds: Iterable<string>): Work<void> {
  yield* run(unlinkMonitors, { orgId, id })
  yield* run(unlinkPages, { orgId, id })
  yield* runEach(
    linkMonitor,
    [...new Set(nums)].map((num) => ({ orgId, id, num })),
  )
  yield* runEach(
    linkPage,
    [...new Set(pageIds)].map((pageId) => ({ orgId, id, pageId })),
  )
}
