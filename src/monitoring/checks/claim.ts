import { sql } from 'kysely'
import { planNamed } from '../../accounts/plans/plans.ts'
import type { Installation } from '../../contract/operation.ts'
import type { ProbeTarget } from '../../contract/probe.ts'
import { all, type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import { type Memory, readMemory } from '../monitor-states/memory.ts'
import type { StateFields } from '../monitor-states/state.ts'
import { type CheckConfig, type CheckConfigCache, type CheckSettings, parseCheckConfig } from './check-config.ts'
import { checkQueue, stateColumns } from './check-queue.ts'
import type { CachedState, StateCache } from './state-cache.ts'

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
  /** When the check is due; when its lease ends, if it is under way. */
  readonly dueAt: number | null
  /** Whether a node holds a lease: for this check or, if a heartbeat made this claim, for another. */
  readonly underWay: boolean
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

/**
 * Claims due checks, the longest overdue first. No other node gets them until the result is saved or the lease ends. The
 * cost depends on the number of due checks only, because next_check_at is indexed.
 */
export function* claimDue(node: string, now: number, limit: number, configs: CheckConfigCache): DbWork<ClaimedChecks> {
  const rows = yield* checkQueue.claim({ node, now, limit })
  return yield* claimsOf(rows, rows, configs, now)
}

const due = checkQueue.due(['num', 'revision', 'edition', 'next_check_at'])

const stateOf = statement(({ num }: { num: number }) =>
  q.selectFrom('monitor_states').select(stateColumns).where('num', '=', num),
)

/**
 * The same for the only node of an installation. It writes no leases: it knows in memory which checks are under way, and
 * after a crash they are simply still due. Of a cached state only the revision is read.
 */
export function* claimWithoutLease(
  { underWay, states: cache, configs }: SingleNodeState,
  now: number,
  limit: number,
): DbWork<ClaimedChecks> {
  const rows: DueRow[] = []
  const states: (CachedState | ClaimedRow)[] = []
  for (const row of yield* all(due, { now, limit: limit + underWay.size })) {
    if (rows.length === limit) break
    if (underWay.has(row.num)) continue
    const state = cache.get(row.num, row.revision) ?? (yield* first(stateOf, row))
    if (state === undefined) continue
    rows.push(row)
    states.push(state)
  }
  return yield* claimsOf(rows, states, configs, now)
}

/** What the only node of an installation knows of the monitors. */
export interface SingleNodeState {
  readonly underWay: Underway
  readonly states: StateCache
  readonly configs: CheckConfigCache
}

/** Numbers of the monitors with a check under way. */
interface Underway {
  readonly size: number
  has(num: number): boolean
}

interface DueRow {
  readonly num: number
  readonly revision: number
  readonly edition: number
  readonly next_check_at: number | null
}

function* claimsOf(
  rows: readonly DueRow[],
  states: readonly (CachedState | ClaimedRow)[],
  cache: CheckConfigCache,
  now: number,
): DbWork<ClaimedChecks> {
  if (rows.length === 0) return { claims: [], unreadable: [] }
  const configs = yield* cache.load(rows)
  const plans = yield* plansOf(new Set(states.map(orgOf)))
  const claims: Claim[] = []
  const unreadable: UnreadableCheck[] = []
  for (let i = 0; i < rows.length; i += 1) {
    const state = states[i] as CachedState | ClaimedRow
    const config = configs[i]
    const plan = plans.get(orgOf(state))
    if (config === undefined || plan === undefined) continue
    const row = rows[i] as DueRow
    try {
      if (config instanceof Error) throw config
      claims.push('fields' in state ? claimOfCached(row, state, config, plan) : claimOf(state, config, plan, now))
    } catch (error) {
      unreadable.push({ num: row.num, revision: row.revision, error })
    }
  }
  return { claims, unreadable }
}

function orgOf(state: CachedState | ClaimedRow): string {
  return 'fields' in state ? state.orgId : state.org_id
}

function claimOfCached(
  { num, revision, next_check_at }: DueRow,
  { orgId, fields, memory, openIncident }: CachedState,
  { monitorId, settings, target }: CheckConfig,
  plan: string,
): Claim {
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
    keepDays: planNamed(plan).rawResultsDays,
    dueAt: next_check_at,
    underWay: false,
  }
}

const planOf = statement(({ orgId }: { orgId: string }) =>
  q.selectFrom('organizations').select(['id', 'plan']).where('id', '=', orgId),
)

/** Not cached: a new plan applies from the next check on. */
function* plansOf(orgIds: ReadonlySet<string>): DbWork<ReadonlyMap<string, string>> {
  const [orgId] = orgIds
  const rows =
    orgIds.size === 1 && orgId !== undefined
      ? yield* all(planOf, { orgId })
      : yield* execute(
          q
            .selectFrom('organizations')
            .select(['id', 'plan'])
            .where('id', 'in', [...orgIds]),
        )
  return new Map(rows.map(({ id, plan }) => [id, plan]))
}

/**
 * A check that is already under way keeps its lease, and the first of the two results is saved. Otherwise a user who asks
 * for checks faster than the target answers would make every result stale.
 */
const leaseOne = statement((t: { orgId: string; id: string; until: number; node: string }) =>
  q
    .updateTable('monitor_states')
    .set({ next_check_at: t.until, claimed_by: t.node, revision: sql<number>`revision + 1` })
    .where('state', '!=', 'PAUSED')
    .where('claimed_by', 'is', null)
    .where('org_id', '=', t.orgId)
    .where('num', '=', q.selectFrom('monitors').select('num').where('org_id', '=', t.orgId).where('id', '=', t.id)),
)

const rowById = statement(({ orgId, id }: { orgId: string; id: string }) =>
  claimRows().where('m.org_id', '=', orgId).where('m.id', '=', id),
)

/** Claims one monitor, due or not. The only node of an installation, whose name is null, writes no lease. */
export function* claimMonitor(
  { node, sealer }: Pick<Installation, 'node' | 'sealer'>,
  orgId: string,
  id: string,
  now: number,
): DbWork<Claim | undefined> {
  if (node !== null) yield* run(leaseOne, { orgId, id, until: now + checkQueue.spec.leaseMs, node })
  const row = yield* first(rowById, { orgId, id })
  return row && claimOf(row, parseCheckConfig(row.edition, row, sealer), row.plan, now)
}

const rowByToken = statement(({ token }: { token: string }) =>
  claimRows()
    .innerJoin('heartbeat_tokens as t', (on) =>
      on.onRef('t.monitor_id', '=', 'm.id').onRef('t.org_id', '=', 'm.org_id'),
    )
    .where('t.token', '=', token)
    .forUpdate('s'),
)

/** The monitor of a heartbeat token, locked until the end of the transaction. */
export function* claimToken(token: string, now: number): DbWork<Claim | undefined> {
  const row = yield* first(rowByToken, { token })
  return row && claimOf(row, parseCheckConfig(row.edition, row), row.plan, now)
}

function claimRows() {
  return q
    .selectFrom('monitor_states as s')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 's.num').onRef('m.org_id', '=', 's.org_id'))
    .innerJoin('organizations as o', 'o.id', 's.org_id')
    .select([
      's.org_id',
      's.num',
      'm.id',
      's.revision',
      's.edition',
      'm.rendered',
      'm.secrets',
      's.memory',
      's.open_incident',
      'o.plan',
    ])
    .select(['s.next_check_at', 's.claimed_by'])
    .select(['s.state', 's.last_checked_at', 's.last_status_changed_at', 's.last_response_ms', 's.cert_expires_at'])
}

type ClaimedRow = StateFields & {
  readonly org_id: string
  readonly num: number
  readonly revision: number
  readonly edition: number
  readonly memory: string
  readonly open_incident: string | null
  readonly next_check_at: number | null
  readonly claimed_by: string | null
}

function claimOf(row: ClaimedRow, { monitorId, settings, target }: CheckConfig, plan: string, now: number): Claim {
  return {
    orgId: row.org_id,
    num: row.num,
    monitorId,
    revision: row.revision,
    settings,
    target,
    current: row,
    memory: readMemory(row.memory, now),
    openIncident: row.open_incident,
    keepDays: planNamed(plan).rawResultsDays,
    dueAt: row.next_check_at,
    underWay: row.claimed_by !== null,
  }
}
