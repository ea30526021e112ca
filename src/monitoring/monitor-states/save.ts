import { sql } from 'kysely'
import { batch, changedByEach } from '../../storage/batch.ts'
import { lastAddedMonitor } from '../../storage/list-index.ts'
import { type DbWork, q, send, statement } from '../../storage/query.ts'
import { type Memory, memoryText, readMemory } from './memory.ts'
import { newState, type StateFields } from './state.ts'

/** A monitor's new state, written only if its row is still at `revision`. */
export interface StateUpdate {
  readonly orgId: string
  readonly num: number
  readonly revision: number
  readonly fields: StateFields
  readonly memory: Memory
  readonly nextCheckAt: number | null
  readonly openIncident: string | null
  /** 1 after a change of settings: nodes that cached the earlier settings read them again. */
  readonly editionIncrement: 0 | 1
  /**
   * 1 if a node has to read the schedule again, because the monitor may be due sooner than in the memory of the node that it
   * is assigned to (checks/assignments.ts).
   */
  readonly unassign: 0 | 1
}

interface UpdateValues extends StateFields {
  orgId: string
  num: number
  revision: number
  openIncident: string | null
  memory: string
  nextCheckAt: number | null
  editionIncrement: number
  unassign: number
}

const types = {
  orgId: 'text',
  num: 'bigint',
  revision: 'bigint',
  state: 'text',
  last_checked_at: 'bigint',
  last_status_changed_at: 'bigint',
  last_response_ms: 'bigint',
  cert_expires_at: 'bigint',
  openIncident: 'text',
  memory: 'text',
  nextCheckAt: 'bigint',
  editionIncrement: 'bigint',
  unassign: 'bigint',
} as const

const update = batch<UpdateValues, { i: number }>(types, (u, rows) => {
  const updated = q
    .updateTable('monitor_states as s')
    .set({
      revision: sql<number>`s.revision + 1`,
      state: u.state,
      last_checked_at: u.last_checked_at,
      last_status_changed_at: u.last_status_changed_at,
      last_response_ms: u.last_response_ms,
      cert_expires_at: u.cert_expires_at,
      open_incident: u.openIncident,
      memory: u.memory,
      edition: sql<number>`s.edition + cast(${u.editionIncrement} as bigint)`,
      next_check_at: u.nextCheckAt,
      claimed_by: sql<string | null>`case when cast(${u.unassign} as bigint) = 1 then null else s.claimed_by end`,
    })
    .where('s.num', '=', u.num)
    .where('s.org_id', '=', u.orgId)
    .where('s.revision', '=', u.revision)
  return (rows === undefined ? updated : updated.from(rows.table).returning(rows.index)) as typeof updated
})

/** For each update whether it was written; false where the row has another revision by now. */
export function saveStates(updates: readonly StateUpdate[]): DbWork<readonly boolean[]> {
  return changedByEach(update, updates.map(valuesOf))
}

function valuesOf({ fields, memory, ...rest }: StateUpdate): UpdateValues {
  return { ...fields, ...rest, memory: memoryText(memory) }
}

const insert = statement((s: { orgId: string; nextCheckAt: number | null; memory: string }) =>
  q.insertInto('monitor_states').values({
    ...newState,
    num: lastAddedMonitor(s.orgId),
    org_id: s.orgId,
    revision: 1,
    next_check_at: s.nextCheckAt,
    claimed_by: null,
    open_incident: null,
    memory: s.memory,
    edition: 1,
  }),
)

/** Inserts the state of the monitor that was inserted last. */
export function* insertState(orgId: string, nextCheckAt: number | null, now: number): DbWork<void> {
  yield* send(insert, { orgId, nextCheckAt, memory: memoryText(readMemory('{}', now)) })
}
