import type { DbWork } from '../../storage/query.ts'
import { accrue, categoryOf } from './ledger.ts'
import { maintenanceCoverage } from './maintenance.ts'
import { type Memory, readMemory } from './memory.ts'
import { storeHours } from './rollups.ts'
import { saveStates } from './save.ts'
import { type CheckTiming, stateValidMs } from './schedule.ts'
import type { StateFields } from './state.ts'
import { excludeUnmonitoredTime } from './unmonitored-time.ts'

/** A state row that is locked for a change. */
export interface StateRow extends StateFields {
  readonly num: number
  readonly revision: number
  readonly memory: string
  readonly open_incident: string | null
}

export interface UserChange {
  readonly fields: StateFields
  readonly updateMemory: (memory: Memory) => Memory
  readonly nextCheckAt: (memory: Memory) => number | null
}

/**
 * Applies a pause, a resume or an edit. The time until now is accounted for by the timing that was in effect until now.
 * The new revision makes the result of a check in progress stale.
 */
export function* applyUserChange(
  orgId: string,
  row: StateRow,
  timing: CheckTiming,
  change: UserChange,
  now: number,
): DbWork<void> {
  const { num, revision, state } = row
  const before = readMemory(row.memory, now)
  const coverage = yield* maintenanceCoverage([{ orgId, memory: before, at: now }])
  const validMs = state === 'PAUSED' ? Number.POSITIVE_INFINITY : stateValidMs(timing)
  const { ledger, closed } = accrue(before.ledger, now, categoryOf(state), validMs, coverage(orgId, num))
  const memory = change.updateMemory({ ...before, ledger })
  yield* saveStates([
    {
      ...{ orgId, num, revision, fields: change.fields, memory },
      nextCheckAt: change.nextCheckAt(memory),
      openIncident: row.open_incident,
      log: '',
      editionIncrement: 1,
      unassign: 1,
    },
  ])
  yield* storeHours([{ orgId, num, closed }])
  if (change.fields.last_status_changed_at !== row.last_status_changed_at) {
    yield* excludeUnmonitoredTime(orgId, row.open_incident, row, now)
  }
}
