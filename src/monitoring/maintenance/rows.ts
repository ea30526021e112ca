import { notFound } from '../../contract/errors.ts'
import { cacheable, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { MaintenanceTable } from '../../storage/schema/maintenance.ts'
import type { WindowProgress } from './advance.ts'
import { columnsOf, type MaintenanceRow, type WindowSettings } from './settings.ts'

interface WindowKey {
  orgId: string
  id: string
}

const columnNames = [
  ...(['id', 'name', 'description', 'starts_at', 'ends_at', 'timezone', 'recurrence', 'recurrence_interval'] as const),
  ...(['days_of_week', 'days_of_month', 'recurrence_ends_at', 'monitor_ids', 'all_monitors', 'selector'] as const),
  ...(['status_page_ids', 'status', 'next_transition_at', 'coverage_id', 'created_at', 'updated_at'] as const),
] as const

/** A query that callers add filters to. */
export function windowsOf(orgId: string) {
  return q
    .selectFrom('maintenance_windows as w')
    .select(columnNames.map((column) => `w.${column}` as const))
    .where('w.org_id', '=', orgId)
}

const byId = cacheable(({ orgId, id }: WindowKey) => windowsOf(orgId).where('w.id', '=', id))

export function* windowOf(orgId: string, id: string): DbWork<MaintenanceRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('maintenance window')
  return row
}

const locked = statement(({ orgId, id }: WindowKey) => windowsOf(orgId).where('w.id', '=', id).forUpdate())

/** Locks the window until the end of the transaction, so that the scheduler does not apply its transitions meanwhile. */
export function* lockWindow(orgId: string, id: string): DbWork<MaintenanceRow> {
  const row = yield* first(locked, { orgId, id })
  if (row === undefined) throw notFound('maintenance window')
  return row
}

type Columns = Omit<MaintenanceTable, 'org_id' | 'id' | 'seq' | 'created_at' | 'selector'>

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

interface NewWindow extends WindowKey {
  readonly seq: number
  readonly selector: string | null
}

const insert = statement((w: Columns & NewWindow) =>
  q
    .insertInto('maintenance_windows')
    .values({ ...values(w), org_id: w.orgId, id: w.id, seq: w.seq, selector: w.selector, created_at: w.updated_at }),
)

const update = statement((w: Columns & WindowKey) =>
  q.updateTable('maintenance_windows').set(values(w)).where('org_id', '=', w.orgId).where('id', '=', w.id),
)

/** The stored fields of a window that users cannot set. */
export interface WindowState extends WindowProgress {
  readonly coverageId: string | null
  readonly now: number
}

function columns(settings: WindowSettings, { status, nextTransitionAt, coverageId, now }: WindowState): Columns {
  return {
    ...columnsOf(settings),
    status,
    next_transition_at: nextTransitionAt,
    coverage_id: coverageId,
    updated_at: now,
  }
}

export function* insertWindow(window: NewWindow, settings: WindowSettings, state: WindowState): DbWork<void> {
  yield* run(insert, { ...window, ...columns(settings, state) })
}

export function* saveWindow(key: WindowKey, settings: WindowSettings, state: WindowState): DbWork<void> {
  yield* run(update, { ...key, ...columns(settings, state) })
}

const updateProgress = statement(
  (w: WindowKey & { status: WindowProgress['status']; nextTransitionAt: number | null }) =>
    q
      .updateTable('maintenance_windows')
      .set({ status: w.status, next_transition_at: w.nextTransitionAt })
      .where('org_id', '=', w.orgId)
      .where('id', '=', w.id),
)

export function* saveProgress({ orgId, id }: WindowKey, { status, nextTransitionAt }: WindowProgress): DbWork<void> {
  yield* run(updateProgress, { orgId, id, status, nextTransitionAt })
}

const updateCoverage = statement((w: WindowKey & { coverageId: string | null }) =>
  q
    .updateTable('maintenance_windows')
    .set({ coverage_id: w.coverageId })
    .where('org_id', '=', w.orgId)
    .where('id', '=', w.id),
)

export function* saveCoverage({ orgId, id }: WindowKey, coverageId: string | null): DbWork<void> {
  yield* run(updateCoverage, { orgId, id, coverageId })
}

const updateSelector = statement((w: WindowKey & { selector: string | null; now: number }) =>
  q
    .updateTable('maintenance_windows')
    .set({ selector: w.selector, updated_at: w.now })
    .where('org_id', '=', w.orgId)
    .where('id', '=', w.id),
)

export function* saveSelector({ orgId, id }: WindowKey, selector: string | null, now: number): DbWork<void> {
  yield* run(updateSelector, { orgId, id, selector, now })
}

const deleteById = statement(({ orgId, id }: WindowKey) =>
  q.deleteFrom('maintenance_windows').where('org_id', '=', orgId).where('id', '=', id),
)

/** Foreign keys delete its links. */
export function* deleteWindow({ orgId, id }: WindowKey): DbWork<void> {
  yield* run(deleteById, { orgId, id })
}
