import type { DbWork } from '../../storage/query.ts'
import { accrue, categoryOf } from './ledger.ts'
import { maintenanceCoverage } from './maintenance.ts'
import { type Memory, readMemory } from './memory.ts'
import { storeHours } from './rollups.ts'
import { type StateUpdate, saveStates } from './save.ts'
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
  readonly row: StateRow
  /** The timing that was in effect until now. */
  readonly timing: CheckTiming
  readonly fields: StateFields
  readonly updateMemory: (memory: Memory) => Memory
  readonly nextCheckAt: (memory: Memory) => number | null
}

/**
 * Applies a pause, a resume or an edit of each of these monitors, in a fixed number of statements. The time until now is
 * accounted for by the timing that was in effect until now. The new revision makes the result of a check in progress stale.
 */
export function* applyUserChanges(orgId: string, changes: readonly UserChange[], now: number): DbWork<void> {
  if (changes.length === 0) return
  const unaccounted = changes.map(({ row }) => ({ orgId, memory: readMemory(row.memory, now), at: now }))
  const coverage = yield* maintenanceCoverage(unaccounted)
  const accrued = changes.map(({ row: { num, state }, timing }, i) => {
    const { memory } = unaccounted[i] as (typeof unaccounted)[number]
    const validMs = state === 'PAUSED' ? Number.POSITIVE_INFINITY : stateValidMs(timing, memory.ledger.accountedUntil)
    const { ledger, closed } = accrue(memory.ledger, now, categoryOf(state), validMs, coverage(orgId, num))
    return { orgId, num, closed, memory: { ...memory, ledger } }
  })
  yield* saveStates(
    changes.map((change, i) => updateOf(orgId, change, (accrued[i] as (typeof accrued)[number]).memory)),
  )
  yield* storeHours(accrued)
  for (const { row, fields } of changes) {
    if (fields.last_status_changed_at !== row.last_status_changed_at) {
      yield* excludeUnmonitoredTime(orgId, row.open_incident, row, now)
    }
  }
}

function updateOf(orgId: string, change: UserChange, accounted: Memory): StateUpdate {
  const { num, revision, open_incident: openIncident } = change.row
  const memory = change.updateMemory(accounted)
  return {
    orgId,
    num,
    revision,
    openIncident,
    memory,
    fields: change.fields,
    nextCheckAt: change.nextCheckAt(memory),
    editionIncrement: 1,
    unassign: 1,
  }
}
