import { planNamed } from '../../accounts/plans/plans.ts'
import type { ProbeTarget } from '../../contract/probe.ts'
import type { Sealer } from '../../lib/seal.ts'
import { allOf, batch, fromRows, joinRows } from '../../storage/batch.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { settingsColumns } from '../monitor-settings/stored.ts'
import { type Memory, readMemory } from '../monitor-states/memory.ts'
import { type StateFields, stateColumns } from '../monitor-states/state.ts'
import type { Assignment } from './assignments.ts'
import { type CheckConfig, type CheckConfigCache, type CheckSettings, parseCheckConfig } from './check-config.ts'
import type { CachedState } from './state-cache.ts'

/** A check that this node makes, with everything that deciding about it needs. */
export interface Claim {
  readonly orgId: string
  readonly num: number
  readonly monitorId: string
  /** The result is saved only if the monitor is still at this revision. */
  readonly revision: number
  readonly settings: CheckSettings
  readonly target: ProbeTarget
  /** The state before the check. */
  readonly current: StateFields
  readonly memory: Memory
  readonly openIncident: string | null
  /** For how many days raw results of this organization are kept. */
  readonly keepDays: number
  /** When the next scheduled check is due, by the schedule before this one. */
  readonly dueAt: number | null
  /** When the check began. */
  readonly startedAt: number
  /** A user asked for the check; a scheduled one may be under way. */
  readonly byUser?: true
}

/** A due check whose state or settings cannot be read. */
export interface UnreadableCheck {
  readonly num: number
  readonly revision: number
  readonly error: unknown
}

export interface ClaimedChecks {
  readonly claims: readonly Claim[]
  /** To be postponed by the caller, so that they do not block the others. */
  readonly unreadable: readonly UnreadableCheck[]
}

const claimColumns = [
  ...(['s.num', 's.org_id', 's.revision', 's.edition', 's.memory', 's.open_incident', 's.next_check_at'] as const),
  ...stateColumns,
] as const

const stateOf = batch<{ num: number }, StateRow>({ num: 'bigint' }, (key, rows) => {
  const found = q.selectFrom('monitor_states as s').select([...claimColumns, 's.claimed_by'])
  return joinRows(found, rows).where('s.num', '=', key.num)
})

/** The states of these monitors, in no particular order. */
export function statesOf(monitors: readonly { readonly num: number }[]): DbWork<readonly StateRow[]> {
  return allOf(stateOf, monitors)
}

interface Postponed {
  num: number
  revision: number
  dueAt: number
}

const postpone = batch<Postponed>({ num: 'bigint', revision: 'bigint', dueAt: 'bigint' }, (p, rows) => {
  const updated = q.updateTable('monitor_states as s').set({ next_check_at: p.dueAt })
  return fromRows(updated, rows).where('s.num', '=', p.num).where('s.revision', '=', p.revision)
})

/** Checks without a result are due at `dueAt`. */
export function* postponeChecks(checks: readonly { num: number; revision: number }[], dueAt: number): DbWork<void> {
  yield* allOf(
    postpone,
    checks.map(({ num, revision }) => ({ num, revision, dueAt })),
  )
}

/** A state as this node wrote it, or as it is stored. */
export type KnownState = CachedState | StateRow

/** The checks of due rows; `states` are in their order. A monitor that was deleted meanwhile is left out. */
export function* claimsOf(
  rows: readonly Assignment[],
  states: readonly KnownState[],
  cache: CheckConfigCache,
  now: number,
): DbWork<ClaimedChecks> {
  if (rows.length === 0) return { claims: [], unreadable: [] }
  const configs = yield* cache.load(rows)
  const plans = yield* plansOf(new Set(states.map(orgOf)))
  const claims: Claim[] = []
  const unreadable: UnreadableCheck[] = []
  for (let i = 0; i < rows.length; i += 1) {
    const state = states[i] as KnownState
    const config = configs[i]
    const plan = plans.get(orgOf(state))
    if (config === undefined || plan === undefined) continue
    const row = rows[i] as Assignment
    try {
      if (config instanceof Error) throw config
      claims.push(claimOf(row, 'fields' in state ? state : parseState(state, now), config, plan, now))
    } catch (error) {
      unreadable.push({ num: row.num, revision: row.revision, error })
    }
  }
  return { claims, unreadable }
}

function orgOf(state: KnownState): string {
  return 'fields' in state ? state.orgId : state.org_id
}

const planOf = batch<{ orgId: string }, { id: string; plan: string }>({ orgId: 'text' }, (key, rows) => {
  const found = q.selectFrom('organizations as o').select(['o.id', 'o.plan'])
  return joinRows(found, rows).where('o.id', '=', key.orgId)
})

/** Not cached: a new plan applies from the next check on. */
function* plansOf(orgIds: ReadonlySet<string>): DbWork<ReadonlyMap<string, string>> {
  const rows = yield* allOf(
    planOf,
    Array.from(orgIds, (orgId) => ({ orgId })),
  )
  return new Map(rows.map(({ id, plan }) => [id, plan]))
}

const rowById = statement(({ orgId, id }: { orgId: string; id: string }) =>
  claimRows().where('m.org_id', '=', orgId).where('m.id', '=', id),
)

/**
 * Claims one monitor, due or not, for a check that a user asks for. If another check is under way, the first result is
 * saved. Otherwise a user who asks for checks faster than the target answers would make every result stale.
 */
export function* claimMonitor(sealer: Sealer, orgId: string, id: string, now: number): DbWork<Claim | undefined> {
  const row = yield* first(rowById, { orgId, id })
  if (row === undefined) return undefined
  const config = parseCheckConfig(row.edition, row, sealer)
  return { ...claimOf(row, parseState(row, now), config, row.plan, now), byUser: true }
}

const rowBy = (column: 'heartbeat_hash' | 'legacy_hash') =>
  statement(({ hash }: { hash: string }) => claimRows().where(`m.${column}`, '=', hash).forUpdate('s'))

const rowsBy = { heartbeat: rowBy('heartbeat_hash'), legacy: rowBy('legacy_hash') }

/** The hash of the token in a heartbeat URL, or of the address that a job called at another tool. */
export interface HeartbeatAddress {
  readonly kind: keyof typeof rowsBy
  readonly hash: string
}

const numBy = (column: 'heartbeat_hash' | 'legacy_hash') =>
  statement(({ hash }: { hash: string }) => q.selectFrom('monitors').select('num').where(column, '=', hash))

const numsBy = { heartbeat: numBy('heartbeat_hash'), legacy: numBy('legacy_hash') }

/** Whether a monitor has this address: one read of an index. */
export function* isHeartbeatAddress({ kind, hash }: HeartbeatAddress): DbWork<boolean> {
  return (yield* first(numsBy[kind], { hash })) !== undefined
}

/** The monitor that has this address, locked until the end of the transaction. */
export function* claimHeartbeat({ kind, hash }: HeartbeatAddress, now: number): DbWork<Claim | undefined> {
  const row = yield* first(rowsBy[kind], { hash })
  return row && claimOf(row, parseState(row, now), parseCheckConfig(row.edition, row), row.plan, now)
}

function claimRows() {
  return q
    .selectFrom('monitor_states as s')
    .innerJoin('monitors as m', 'm.num', 's.num')
    .innerJoin('organizations as o', 'o.id', 's.org_id')
    .select([...claimColumns, 'm.id', ...settingsColumns, 'm.secrets', 'o.plan'])
}

type ClaimedRow = StateFields & Assignment & { readonly memory: string; readonly open_incident: string | null }

type ParsedState = Omit<CachedState, 'revision'>

/** A stored state, with the node that the monitor is assigned to. */
type StateRow = ClaimedRow & { readonly claimed_by: string | null }

function parseState(row: ClaimedRow, now: number): ParsedState {
  return { orgId: row.org_id, fields: row, memory: readMemory(row.memory, now), openIncident: row.open_incident }
}

function claimOf(
  { num, revision, next_check_at: dueAt }: Assignment,
  { orgId, fields, memory, openIncident }: ParsedState,
  { monitorId, settings, target }: CheckConfig,
  plan: string,
  now: number,
): Claim {
  const { rawResultsDays: keepDays } = planNamed(plan)
  return {
    orgId,
    num,
    monitorId,
    revision,
    settings,
    target,
    current: fields,
    memory,
    openIncident,
    keepDays,
    dueAt,
    startedAt: now,
  }
}
