import type { Database } from '../../storage/database.ts'
import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import type { Assignment } from './assignments.ts'
import type { CheckConfigCache } from './check-config.ts'
import { type CheckSource, type DueChecks, nothingDue } from './check-source.ts'
import {
  type Claim,
  type ClaimedChecks,
  claimsOf,
  type KnownState,
  postponeChecks,
  statesOf,
  type UnreadableCheck,
} from './claim.ts'
import type { WriteOutcome } from './result-writer.ts'
import { StateCache } from './state-cache.ts'

const anyDue = statement(({ now }: { now: number }) =>
  q.selectFrom('monitor_states').select('num').where('next_check_at', '<=', now).limit(1),
)

const due = statement(({ now, limit }: { now: number; limit: number }) =>
  q
    .selectFrom('monitor_states')
    .select(['num', 'revision', 'edition', 'next_check_at'])
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit),
)

/** The longest overdue first. */
export function dueChecks(now: number, limit: number): DbWork<readonly Assignment[]> {
  return all(due, { now, limit })
}

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

  async takeDue(now: number, limit: number): Promise<DueChecks> {
    if ((await this.#database.read(first(anyDue, { now }))) === undefined) return nothingDue
    const { claims, unreadable } = await this.#database.read(this.#claims(now, limit))
    for (const { num } of claims) this.#underWay.add(num)
    return { claims, unreadable, isMore: claims.length === limit }
  }

  settle({ num }: Claim, outcome: WriteOutcome): void {
    this.#underWay.delete(num)
    if (typeof outcome === 'object') this.#states.set(outcome)
  }

  async postpone(checks: readonly UnreadableCheck[], dueAt: number): Promise<void> {
    await this.#database.write(() => postponeChecks(checks, dueAt))
  }

  /** Of a cached state only the revision is read. */
  *#claims(now: number, limit: number): DbWork<ClaimedChecks> {
    const rows: Assignment[] = []
    const states: KnownState[] = []
    for (const row of yield* dueChecks(now, limit + this.#underWay.size)) {
      if (rows.length === limit) break
      if (this.#underWay.has(row.num)) continue
      const state = this.#states.get(row.num, row.revision) ?? (yield* statesOf([row]))[0]
      if (state === undefined) continue
      rows.push(row)
      states.push(state)
    }
    return yield* claimsOf(rows, states, this.#configs, now)
  }
}
