import { sql } from 'kysely'
import type { Database } from '../../storage/database.ts'
import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import type { Assignment } from './assignments.ts'
import type { CheckConfigCache } from './check-config.ts'
import { type CheckSource, type DueChecks, nothingDue, unlimitedPlaces } from './check-source.ts'
import { type Claim, claimsOf, type KnownState, postponeChecks, statesOf, type UnreadableCheck } from './claim.ts'
import { type CheckPlaces, shareAmongOrganizations, takeInTurns } from './places.ts'
import type { WriteOutcome } from './result-writer.ts'
import { StateCache } from './state-cache.ts'

const anyDue = statement(({ now }: { now: number }) =>
  q.selectFrom('monitor_states').select('num').where('next_check_at', '<=', now).limit(1),
)

/** `without` is a JSON array of organizations. */
const due = statement(({ now, limit, without }: { now: number; limit: number; without: string }) =>
  q
    .selectFrom('monitor_states')
    .select(['num', 'org_id', 'revision', 'edition', 'next_check_at'])
    .where('next_check_at', '<=', now)
    .where(sql<boolean>`org_id not in (select value from json_each(${without}))`)
    .orderBy('next_check_at')
    .limit(limit),
)

/** The longest overdue first. Overdue checks of the organizations in `without` cost 0.6 µs each. */
export function dueChecks(now: number, limit: number, without: readonly string[] = []): DbWork<readonly Assignment[]> {
  return all(due, { now, limit, without: JSON.stringify(without) })
}

/** `without` is a JSON array of numbers. */
const dueCount = statement(({ at, without }: { at: number; without: string }) =>
  q
    .selectFrom('monitor_states')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('next_check_at', '<=', at)
    .where(sql<boolean>`num not in (select value from json_each(${without}))`),
)

/**
 * The schedule of the only process that uses a data folder (SQLite). It reads what is due from the index on
 * `next_check_at` and remembers what it works on, so a check writes no claim.
 */
export class SingleNodeChecks implements CheckSource {
  readonly #database: Database
  readonly #configs: CheckConfigCache
  readonly #states = new StateCache()
  readonly #underWay = new Set<number>()

  constructor(database: Database, configs: CheckConfigCache) {
    this.#database = database
    this.#configs = configs
  }

  async takeDue(now: number, limit: number, places = unlimitedPlaces): Promise<DueChecks> {
    if ((await this.#database.read(first(anyDue, { now }))) === undefined) return nothingDue
    await shareAmongOrganizations(places, this.#database)
    const { claims, unreadable, isMore } = await this.#database.read(this.#claims(now, limit, places))
    for (const { num } of claims) this.#underWay.add(num)
    return { claims, unreadable, isMore }
  }

  async countDue(at: number): Promise<number> {
    const without = JSON.stringify([...this.#underWay])
    return (await this.#database.read(first(dueCount, { at, without })))?.count ?? 0
  }

  settle({ num }: Claim, outcome: WriteOutcome): void {
    this.#underWay.delete(num)
    if (typeof outcome === 'object') this.#states.set(outcome)
  }

  async postpone(checks: readonly UnreadableCheck[], dueAt: number): Promise<void> {
    await this.#database.write(() => postponeChecks(checks, dueAt))
  }

  /** Of a cached state only the revision is read. */
  *#claims(now: number, limit: number, places: CheckPlaces): DbWork<DueChecks> {
    const mostRows = limit + this.#underWay.size
    const found = yield* dueChecks(now, mostRows, places.atLimit())
    const queues = new Map<string, { readonly orgId: string; readonly due: Assignment[] }>()
    for (const row of found) {
      if (this.#underWay.has(row.num)) continue
      const queue = queues.get(row.org_id)
      if (queue === undefined) queues.set(row.org_id, { orgId: row.org_id, due: [row] })
      else queue.due.push(row)
    }
    const rows: Assignment[] = []
    const states: KnownState[] = []
    for (const row of takeInTurns([...queues.values()], limit, places, ({ due }, round) => due[round])) {
      const state = this.#states.get(row.num, row.revision) ?? (yield* statesOf([row]))[0]
      if (state === undefined) continue
      rows.push(row)
      states.push(state)
    }
    const claimed = yield* claimsOf(rows, states, this.#configs, now)
    // Rows that were not read may be of other organizations: the next look leaves out those that have reached their limit.
    return { ...claimed, isMore: found.length === mostRows && claimed.claims.length > 0 }
  }
}
