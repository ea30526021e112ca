import { emit } from '../../events/emit.ts'
import type { EventType } from '../../events/types.ts'
import { all, first, q, statement, type Work } from '../../storage/query.ts'
import { advance } from './advance.ts'
import { tellSubscribers } from './notify.ts'
import { recheckLater } from './recheck.ts'
import { renderWindow } from './render.ts'
import { saveProgress, type WindowToChange } from './rows.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'

const changeIn = {
  'maintenance.scheduled': 'scheduled',
  'maintenance.started': 'started',
  'maintenance.completed': 'completed',
  'maintenance.cancelled': 'cancelled',
} as const

/** Tells of a window as it stood at a moment: endpoints, and the subscribers of the pages that show it. */
export function* tellOf(
  orgId: string,
  type: Extract<EventType, `maintenance.${string}`>,
  row: MaintenanceRow,
  { at, now }: { readonly at: number; readonly now: number },
): Work<void> {
  // biome-ignore lint/correctness/useYield: everything is at hand; it is put into words only if somebody wants to hear it
  const data = function* (): Work<string> {
    return JSON.stringify(renderWindow(row, at))
  }
  yield* emit({ orgId, type, data, now })
  yield* tellSubscribers(orgId, changeIn[type], row, { at, now })
}

const numsOf = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('maintenance_monitors').select('num').where('org_id', '=', orgId).where('window_id', '=', id),
)

/** The numbers of the monitors that a window covers, as JSON; null: all. */
export function* coveredBy(orgId: string, { id, all_monitors: isAll }: MaintenanceRow): Work<string | null> {
  if (isAll === 1) return null
  return JSON.stringify((yield* all(numsOf, { orgId, id })).map(({ num }) => num))
}

/**
 * Tells what is to be told of a window by now, and has its monitors checked where it has ended. Whoever calls this holds
 * the window, and what it writes commits together: everything is told once, whichever nodes die or start.
 */
export function* bringUpToDate<Row extends MaintenanceRow>(orgId: string, row: Row, now: number): Work<Row> {
  const before = { status: row.status, nextTransitionAt: row.next_transition_at }
  const { told, transitions } = advance(timingOf(row), before, now)
  if (told === before) return row
  yield* saveProgress({ orgId, id: row.id }, told)
  for (const { event, at } of transitions) yield* tellOf(orgId, event, row, { at, now })
  const ended = transitions.some(({ event }) => event === 'maintenance.completed')
  if (ended) yield* recheckLater(orgId, yield* coveredBy(orgId, row), now)
  return { ...row, status: told.status, next_transition_at: told.nextTransitionAt }
}

const anyDue = statement(({ now }: { now: number }) =>
  q.selectFrom('maintenance_windows').select('id').where('next_transition_at', '<=', now).limit(1),
)

export function* isTransitionDue(now: number): Work<boolean> {
  return (yield* first(anyDue, { now })) !== undefined
}

const due = statement(({ now, limit }: { now: number; limit: number }) =>
  q
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('next_transition_at', '<=', now)
    .orderBy('next_transition_at')
    .limit(limit)
    .forUpdate()
    .skipLocked(),
)

/** Tells of starts and ends whose time has come; says how many windows there were. */
export function* tellDue(now: number, limit: number): Work<number> {
  const rows: readonly (WindowToChange & { readonly org_id: string })[] = yield* all(due, { now, limit })
  // In one order, so that two nodes that tell the same endpoints cannot wait for each other.
  for (const row of rows.toSorted(byOrganization)) yield* bringUpToDate(row.org_id, row, now)
  return rows.length
}

function byOrganization(a: { readonly org_id: string }, b: { readonly org_id: string }): number {
  return a.org_id < b.org_id ? -1 : a.org_id > b.org_id ? 1 : 0
}
