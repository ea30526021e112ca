import { emit } from '../../events/emit.ts'
import type { EventType } from '../../events/types.ts'
import { constant, type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import { advance } from './advance.ts'
import { linkedMonitors } from './links.ts'
import { notifySubscribers } from './notify.ts'
import { queueRecheck } from './recheck.ts'
import { renderWindow } from './render.ts'
import { updateWindow } from './rows.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'

const changes = {
  'maintenance.scheduled': 'scheduled',
  'maintenance.started': 'started',
  'maintenance.completed': 'completed',
  'maintenance.cancelled': 'cancelled',
} as const

/** Emits the event of a change, with the window as of `at`, and notifies the subscribers of the pages that show it. */
export function* announceChange(
  type: Extract<EventType, `maintenance.${string}`>,
  row: MaintenanceRow,
  { at, now }: { readonly at: number; readonly now: number },
): DbWork<void> {
  yield* emit({ orgId: row.org_id, type, data: () => constant(JSON.stringify(renderWindow(row, at))), now })
  yield* notifySubscribers(changes[type], row, { at, now })
}

/** The numbers of the covered monitors as JSON; null: all monitors. */
export function* coveredNumsOf({ org_id: orgId, id, all_monitors: isAll }: MaintenanceRow): DbWork<string | null> {
  return isAll === 1 ? null : JSON.stringify([...(yield* linkedMonitors({ orgId, id }))])
}

/**
 * Announces the starts and ends of a window that are due, and queues checks of its monitors if it has ended. The caller
 * has locked the window; all of it commits together, so every transition is announced exactly once.
 */
export function* applyTransitions(row: MaintenanceRow, now: number): DbWork<MaintenanceRow> {
  const before = { status: row.status, nextTransitionAt: row.next_transition_at }
  const { progress, transitions } = advance(timingOf(row), before, now)
  if (progress === before) return row
  const saved = { status: progress.status, next_transition_at: progress.nextTransitionAt }
  yield* updateWindow(row.org_id, row.id, saved)
  for (const { event, at } of transitions) yield* announceChange(event, row, { at, now })
  const ended = transitions.some(({ event }) => event === 'maintenance.completed')
  if (ended) yield* queueRecheck(row.org_id, yield* coveredNumsOf(row), now)
  return { ...row, ...saved }
}

const anyDue = statement(({ now }: { now: number }) =>
  q.selectFrom('maintenance_windows').select('id').where('next_transition_at', '<=', now).limit(1),
)

export function* isTransitionDue(now: number): DbWork<boolean> {
  return (yield* first(anyDue, { now })) !== undefined
}

/** Applies the due transitions of up to `limit` windows. Returns how many windows there were. */
export function* applyDueTransitions(now: number, limit: number): DbWork<number> {
  const rows = yield* execute(
    q
      .selectFrom('maintenance_windows')
      .selectAll()
      .where('next_transition_at', '<=', now)
      .orderBy('next_transition_at')
      .limit(limit)
      .forUpdate()
      .skipLocked(),
  )
  // Always in the same order, so that two nodes that emit events for the same organizations cannot deadlock.
  for (const row of rows.toSorted(byOrganization)) yield* applyTransitions(row, now)
  return rows.length
}

function byOrganization(a: { readonly org_id: string }, b: { readonly org_id: string }): number {
  return a.org_id < b.org_id ? -1 : a.org_id > b.org_id ? 1 : 0
}
