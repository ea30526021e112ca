import { sql } from 'kysely'
import type { Log } from '../../lib/log.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { Database } from '../../storage/database.ts'
import { all, q, run, statement } from '../../storage/query.ts'

export interface ReplayBounds {
  readonly replays: number
  readonly bytes: number
}

/** Of one organization. Above them the oldest are deleted. */
const LIMITS: ReplayBounds = { replays: 50_000, bytes: 100 * 1024 * 1024 }
/** After how many new ones a node checks an organization. It can exceed its limits by so many per node. */
const CHECK_AFTER: ReplayBounds = { replays: 1_000, bytes: 5 * 1024 * 1024 }
const PAGE = 2_000
const MAX_DELETED = 500

interface Range {
  readonly orgId: string
  readonly expiresAt: number
}

const newestBefore = statement(({ orgId, expiresAt }: Range) =>
  q
    .selectFrom('idempotency_records')
    .select('expires_at')
    .select([sql<number>`cast(count(*) as bigint)`.as('replays'), sql<number>`cast(sum(bytes) as bigint)`.as('bytes')])
    .where('org_id', '=', orgId)
    .where('expires_at', '<', expiresAt)
    .groupBy('expires_at')
    .orderBy('expires_at', 'desc')
    .limit(sql.lit(PAGE)),
)

const deleteOldest = statement(({ orgId, expiresAt }: Range) =>
  q
    .deleteFrom('idempotency_records')
    .where('org_id', '=', orgId)
    .where('key', 'in', (is) =>
      is
        .selectFrom('idempotency_records')
        .select('key')
        .where('org_id', '=', orgId)
        .where('expires_at', '<=', expiresAt)
        .orderBy('expires_at')
        .limit(sql.lit(MAX_DELETED)),
    ),
)

/**
 * Bounds what is stored for replays. New ones are counted in memory per organization; after a number of them the oldest beyond
 * the limits are deleted. So the cost per request does not grow with the table.
 */
export class ReplayLimits {
  readonly #database: Database
  readonly #log: Log
  readonly #limits: ReplayBounds
  readonly #checkAfter: ReplayBounds
  readonly #stored = new Map<string, { replays: number; bytes: number }>()
  /** Organizations are checked one after the other. */
  #checks: Promise<unknown> = Promise.resolve()

  constructor(database: Database, log: Log, limits = LIMITS, checkAfter = CHECK_AFTER) {
    this.#database = database
    this.#log = log
    this.#limits = limits
    this.#checkAfter = checkAfter
  }

  /** Counts a response that was stored. */
  count(orgId: string, bytes: number): void {
    const stored = this.#stored.get(orgId) ?? { replays: 0, bytes: 0 }
    stored.replays += 1
    stored.bytes += bytes
    this.#stored.set(orgId, stored)
    if (stored.replays < this.#checkAfter.replays && stored.bytes < this.#checkAfter.bytes) return
    this.#stored.delete(orgId)
    this.#checks = this.#checks
      .then(() => this.#deleteOldest(orgId))
      .catch(tolerate(this.#log, 'deleting the oldest idempotency records'))
  }

  /** Waits for deletions under way. */
  async stop(): Promise<void> {
    await this.#checks
  }

  async #deleteOldest(orgId: string): Promise<void> {
    const expiresAt = await this.#newestBeyondLimits(orgId)
    if (expiresAt === undefined) return
    while ((await this.#database.write(() => run(deleteOldest, { orgId, expiresAt }))) === MAX_DELETED);
  }

  async #newestBeyondLimits(orgId: string): Promise<number | undefined> {
    let [replays, bytes, before] = [0, 0, Number.MAX_SAFE_INTEGER]
    for (;;) {
      const page = await this.#database.read(all(newestBefore, { orgId, expiresAt: before }))
      for (const row of page) {
        replays += row.replays
        bytes += row.bytes
        before = row.expires_at
        if (replays > this.#limits.replays || bytes > this.#limits.bytes) return before
      }
      if (page.length < PAGE) return undefined
    }
  }
}
