import { emitSeveral } from '../../events/emit.ts'
import type { EventType } from '../../events/types.ts'
import type { DbWork } from '../../storage/query.ts'
import { applyUserChanges, type UserChange } from '../monitor-states/apply-user-change.ts'
import type { MonitorToChange } from './queries.ts'
import { eventOf } from './render.ts'
import { saveMonitors } from './save.ts'

/** A change of a monitor's state; its settings stay. */
interface StateChange extends UserChange {
  readonly row: MonitorToChange
}

/** Applies changes of states to monitors that are locked, and emits an event for each, in a fixed number of statements. */
export function* applyStateChanges(
  orgId: string,
  type: Extract<EventType, `monitor.${string}`>,
  changes: readonly StateChange[],
  baseUrl: string,
  now: number,
): DbWork<void> {
  if (changes.length === 0) return
  const saved = yield* saveMonitors(
    orgId,
    changes.map(({ row }) => ({ monitor: row })),
    now,
  )
  yield* applyUserChanges(orgId, changes, now)
  yield* emitSeveral({ orgId, type, now }, () =>
    changes.map(({ fields }, i) => eventOf(saved[i] as MonitorToChange, fields, baseUrl)),
  )
}
