import { sql } from 'kysely'
import { planNamed } from '../../accounts/plans/plans.ts'
import type { ProbeTarget } from '../../contract/probe.ts'
import { all, type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import { type Memory, readMemory } from '../monitor-states/memory.ts'
import type { Standing } from '../monitor-states/state.ts'
import { type CheckSettings, type Setup, type Setups, setupIn } from './check-config.ts'
import type { KeptStand, Stands } from './state-cache.ts'

/** A check that is ours to make, with everything that deciding about it will need. */
export interface Claim {
  readonly orgId: string
  readonly num: number
  readonly monitorId: string
  /** The result lands only while the monitor is at this revision. */
  readonly revision: number
  readonly settings: CheckSettings
  readonly target: ProbeTarget
  readonly standing: Standing
  readonly memory: Memory
  readonly openIncident: string | null
  /** How long raw results of this organization are kept. */
  readonly keepDays: number
  /** When it is due; of a check under way, when its claim ends. */
  readonly dueAt: number | null
  /** Whether somebody has claimed it, for this check or, where a heartbeat finds it so, for another. */
  readonly underWay: boolean
}

/** Longer than any check can take. A node that dies is noticed sooner (see release.ts); this is for one that hangs. */
const LEASE_MS = 180_000

interface Taking {
  now: number
  until: number
  limit: number
  node: string
}

const stateColumns = [
  ...(['num', 'org_id', 'revision', 'edition', 'memory', 'open_incident', 'next_check_at', 'claimed_by'] as const),
  ...(['state', 'last_checked_at', 'last_status_changed_at', 'last_response_ms', 'cert_expires_at'] as const),
] as const

const takeDue = statement(({ now, until, limit, node }: Taking) =>
  q
    // Materialised: PostgreSQL might otherwise look for due rows several times, and take more than the limit.
    .with(
      (name) => name('due').materialized(),
      (db) =>
        db
          .selectFrom('monitor_states')
          .select('num')
          .where('next_check_at', '<=', now)
          .orderBy('next_check_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
    )
    .updateTable('monitor_states')
    .set({ next_check_at: until, claimed_by: node, revision: sql<number>`revision + 1` })
    .where('num', 'in', (db) => db.selectFrom('due').select('num'))
    .returning(stateColumns),
)

/**
 * Claims checks that are due, the longest due first. Nobody else gets them until the result lands or the claim ends. It
 * costs what the claimed cost, however many are not due: the index holds the due times in order.
 */
export function* claimDue(node: string, now: number, limit: number, setups: Setups): DbWork<readonly Claim[]> {
  const rows = yield* all(takeDue, { now, until: now + LEASE_MS, limit, node })
  return yield* claimsOf(rows, rows, setups, now)
}

const due = statement(({ now, limit }: { now: number; limit: number }) =>
  q
    .selectFrom('monitor_states')
    .select(['num', 'revision', 'edition', 'next_check_at'])
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit),
)

const stateOf = statement(({ num }: { num: number }) =>
  q.selectFrom('monitor_states').select(stateColumns).where('num', '=', num),
)

/**
 * The same for a node that has the schedule to itself: it knows what it has under way, and writes no claims. Nobody else
 * would read them, and should it die, what is due is due. Of what it has written itself it reads the revision alone.
 */
export function* claimAlone(
  { underWay, stands, setups }: Acquaintance,
  now: number,
  limit: number,
): DbWork<readonly Claim[]> {
  const rows: DueRow[] = []
  const states: (KeptStand | StateRow)[] = []
  for (const row of yield* all(due, { now, limit: limit + underWay.size })) {
    if (rows.length === limit) break
    if (underWay.has(row.num)) continue
    const state = stands.at(row.num, row.revision) ?? (yield* first(stateOf, row))
    if (state === undefined) continue
    rows.push(row)
    states.push(state)
  }
  return yield* claimsOf(rows, states, setups, now)
}

/** What a node that is alone knows of the monitors. */
export interface Acquaintance {
  readonly underWay: Underway
  readonly stands: Stands
  readonly setups: Setups
}

/** The numbers of monitors with a check under way. */
export interface Underway {
  readonly size: number
  has(num: number): boolean
}

interface DueRow {
  readonly num: number
  readonly revision: number
  readonly edition: number
  readonly next_check_at: number | null
}

/** The claims on monitors that are due, from where each stands by what was read or is known. */
function* claimsOf(
  rows: readonly DueRow[],
  states: readonly (KeptStand | StateRow)[],
  known: Setups,
  now: number,
): DbWork<readonly Claim[]> {
  if (rows.length === 0) return []
  const setups = yield* known.of(rows)
  const plans = yield* plansOf(new Set(states.map(orgOf)))
  const claims: Claim[] = []
  // By index, here and wherever every check comes by: `entries()` makes two objects for each.
  for (let i = 0; i < rows.length; i += 1) {
    const state = states[i] as KeptStand | StateRow
    const setup = setups[i]
    const plan = plans.get(orgOf(state))
    if (setup === undefined || plan === undefined) continue
    claims.push(
      'standing' in state ? claimKnown(rows[i] as DueRow, state, setup, plan) : claimOf(state, setup, plan, now),
    )
  }
  return claims
}

function orgOf(state: KeptStand | StateRow): string {
  return 'standing' in state ? state.orgId : state.org_id
}

/** Where a monitor stands that nobody else has touched; a node that is alone writes no claims. */
function claimKnown(
  { num, revision, next_check_at }: DueRow,
  { orgId, standing, memory, openIncident }: KeptStand,
  { monitorId, settings, target }: Setup,
  plan: string,
): Claim {
  return {
    orgId,
    num,
    monitorId,
    revision,
    settings,
    target,
    standing,
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

/** Read anew each time: a new plan holds from the next check on. */
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
 * A check that is under way already keeps its claim, and the first of the two to end is the one that counts: whoever
 * asks for checks faster than the target answers must not keep every one of them from landing.
 */
const takeOne = statement((t: { orgId: string; id: string; until: number; node: string }) =>
  q
    .updateTable('monitor_states')
    .set({ next_check_at: t.until, claimed_by: t.node, revision: sql<number>`revision + 1` })
    .where('state', '!=', 'PAUSED')
    .where('claimed_by', 'is', null)
    .where('org_id', '=', t.orgId)
    .where('num', '=', q.selectFrom('monitors').select('num').where('org_id', '=', t.orgId).where('id', '=', t.id)),
)

const oneRow = statement(({ orgId, id }: { orgId: string; id: string }) =>
  claimRows().where('m.org_id', '=', orgId).where('m.id', '=', id),
)

/** Claims one monitor, due or not; without a node, which is alone then, no claim is written. */
export function* claimMonitor(node: string | null, orgId: string, id: string, now: number): DbWork<Claim | undefined> {
  if (node !== null) yield* run(takeOne, { orgId, id, until: now + LEASE_MS, node })
  const row = yield* first(oneRow, { orgId, id })
  return row && claimOf(row, setupIn(row.edition, row), row.plan, now)
}

const tokenRow = statement(({ token }: { token: string }) =>
  claimRows()
    .innerJoin('heartbeat_tokens as t', (on) =>
      on.onRef('t.monitor_id', '=', 'm.id').onRef('t.org_id', '=', 'm.org_id'),
    )
    .where('t.token', '=', token)
    .forUpdate('s'),
)

/** The monitor behind a heartbeat address, held until the end of the transaction that judges the heartbeat. */
export function* claimToken(token: string, now: number): DbWork<Claim | undefined> {
  const row = yield* first(tokenRow, { token })
  return row && claimOf(row, setupIn(row.edition, row), row.plan, now)
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
      'm.shown',
      's.memory',
      's.open_incident',
      'o.plan',
    ])
    .select(['s.next_check_at', 's.claimed_by'])
    .select(['s.state', 's.last_checked_at', 's.last_status_changed_at', 's.last_response_ms', 's.cert_expires_at'])
}

type StateRow = Standing & {
  readonly org_id: string
  readonly num: number
  readonly revision: number
  readonly edition: number
  readonly memory: string
  readonly open_incident: string | null
  readonly next_check_at: number | null
  readonly claimed_by: string | null
}

function claimOf(row: StateRow, { monitorId, settings, target }: Setup, plan: string, now: number): Claim {
  return {
    orgId: row.org_id,
    num: row.num,
    monitorId,
    revision: row.revision,
    settings,
    target,
    standing: row,
    memory: readMemory(row.memory, now),
    openIncident: row.open_incident,
    keepDays: planNamed(plan).rawResultsDays,
    dueAt: row.next_check_at,
    underWay: row.claimed_by !== null,
  }
}
