import { notFound } from '../../contract/errors.ts'
import { cacheable, type DbWork, execute, first, q } from '../../storage/query.ts'
import type { MaintenanceTable } from '../../storage/schema/maintenance.ts'
import type { WindowProgress } from './advance.ts'
import type { MaintenanceRow, WindowSettings } from './settings.ts'

/** A query that callers add filters to. */
export function windowsOf(orgId: string) {
  return q.selectFrom('maintenance_windows as w').selectAll('w').where('w.org_id', '=', orgId)
}

const byId = cacheable(({ orgId, id }: { orgId: string; id: string }) => windowsOf(orgId).where('w.id', '=', id))

export function* windowOf(orgId: string, id: string): DbWork<MaintenanceRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('maintenance window')
  return row
}

/** Locks the window until the end of the transaction, so that the scheduler does not apply its transitions meanwhile. */
export function* lockWindow(orgId: string, id: string): DbWork<MaintenanceRow> {
  const [row] = yield* execute(windowsOf(orgId).where('w.id', '=', id).forUpdate())
  if (row === undefined) throw notFound('maintenance window')
  return row
}

/** All columns that change with a window. */
export function columnsOf(
  settings: WindowSettings,
  { status, nextTransitionAt }: WindowProgress,
  coverageId: string | null,
  now: number,
) {
  return {
    name: settings.name,
    description: settings.description,
    starts_at: settings.startsAt,
    ends_at: settings.endsAt,
    timezone: settings.timezone,
    recurrence: settings.recurrence,
    recurrence_interval: settings.recurrenceInterval,
    days_of_week: JSON.stringify(settings.daysOfWeek),
    days_of_month: JSON.stringify(settings.daysOfMonth),
    recurrence_ends_at: settings.recurrenceEndsAt,
    monitor_ids: JSON.stringify(settings.monitorIds),
    all_monitors: settings.allMonitors ? 1 : 0,
    status_page_ids: JSON.stringify(settings.statusPageIds),
    status,
    next_transition_at: nextTransitionAt,
    coverage_id: coverageId,
    updated_at: now,
  }
}

export function* updateWindow(orgId: string, id: string, columns: Partial<MaintenanceTable>): DbWork<void> {
  yield* execute(q.updateTable('maintenance_windows').set(columns).where('org_id', '=', orgId).where('id', '=', id))
}
