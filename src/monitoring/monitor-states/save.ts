import { sql } from 'kysely'
import { type DbWork, q, runEach, send, statement } from '../../storage/query.ts'
import { type Memory, memoryText, readMemory } from './memory.ts'
import { LOG_CHARACTERS } from './recent-log.ts'
import { newState, renderState, type StateFields } from './state.ts'

/** A monitor's new state, written only if its row is still at `revision`. */
export interface StateUpdate {
  readonly orgId: string
  readonly num: number
  readonly revision: number
  readonly fields: StateFields
  readonly memory: Memory
  readonly nextCheckAt: number | null
  readonly openIncident: string | null
  /** A line for the log of recent results; empty without a check. */
  readonly log: string
  /** 1 after a change of settings: nodes that cached the earlier settings read them again. */
  readonly editionIncrement: 0 | 1
}

interface UpdateValues extends StateFields {
  orgId: string
  num: number
  revision: number
  rendered: string
  openIncident: string | null
  memory: string
  nextCheckAt: number | null
  log: string
  editionIncrement: number
}

const update = statement((u: UpdateValues) =>
  q
    .updateTable('monitor_states')
    .set({
      revision: sql<number>`revision + 1`,
      state: u.state,
      last_checked_at: u.last_checked_at,
      last_status_changed_at: u.last_status_changed_at,
      last_response_ms: u.last_response_ms,
      cert_expires_at: u.cert_expires_at,
      rendered: u.rendered,
      open_incident: u.openIncident,
      memory: u.memory,
      recent_results: sql<string>`substr(cast(${u.log} as text) || recent_results, 1, ${sql.lit(LOG_CHARACTERS)})`,
      edition: sql<number>`edition + cast(${u.editionIncrement} as bigint)`,
      next_check_at: u.nextCheckAt,
      claimed_by: null,
    })
    .where('num', '=', u.num)
    .where('org_id', '=', u.orgId)
    .where('revision', '=', u.revision),
)

/** For each update whether it was written; false where the row has another revision by now. */
export function* saveStates(updates: readonly StateUpdate[]): DbWork<readonly boolean[]> {
  return (yield* runEach(update, updates.map(valuesOf))).map((changes) => changes === 1)
}

function valuesOf({ fields, memory, ...rest }: StateUpdate): UpdateValues {
  return { ...fields, ...rest, rendered: renderState(fields), memory: memoryText(memory) }
}

const insert = statement((s: { monitorId: string; orgId: string; nextCheckAt: number | null; memory: string }) =>
  q.insertInto('monitor_states').values({
    ...newState,
    num: sql<number>`(select num from monitors where org_id = ${s.orgId} and id = ${s.monitorId})`,
    org_id: s.orgId,
    revision: 1,
    next_check_at: s.nextCheckAt,
    claimed_by: null,
    rendered: renderState(newState),
    open_incident: null,
    memory: s.memory,
    recent_results: '',
    edition: 1,
  }),
)

/** Inserts the state of a new monitor, whose row exists. */
export function* insertState(orgId: string, monitorId: string, nextCheckAt: number | null, now: number): DbWork<void> {
  yield* send(insert, { orgId, monitorId, nextCheckAt, memory: memoryText(readMemory('{}', now)) })
}
