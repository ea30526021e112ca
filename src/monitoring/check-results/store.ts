import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { allOf, insertBatch } from '../../storage/batch.ts'
import type { DbWork } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { ResultBlockTable } from '../../storage/schema/monitors.ts'
import { type Block, type ResultState, resultsIn } from '../monitor-states/result-log.ts'

/** Results of a monitor, to be added to the row of their block. */
export interface BlockAddition extends Block {
  readonly num: number
  /** For how many days the organization's plan keeps them. */
  readonly keepDays: number
}

const append = insertBatch(
  'result_blocks',
  {
    num: 'bigint',
    first_at: 'bigint',
    expires_at: 'bigint',
    up: 'bigint',
    degraded: 'bigint',
    down: 'bigint',
    inconclusive: 'bigint',
    results: 'text',
  },
  (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['num', 'first_at']).doUpdateSet({
        up: sql<number>`result_blocks.up + excluded.up`,
        degraded: sql<number>`result_blocks.degraded + excluded.degraded`,
        down: sql<number>`result_blocks.down + excluded.down`,
        inconclusive: sql<number>`result_blocks.inconclusive + excluded.inconclusive`,
        results: sql<string>`result_blocks.results || ',' || excluded.results`,
        // A block of two plans is kept for as long as the longer one says.
        expires_at: sql<number>`case when excluded.expires_at > result_blocks.expires_at then excluded.expires_at
        else result_blocks.expires_at end`,
      }),
    ),
)

/** Appends results to their blocks, in the transaction that takes them out of the state rows. */
export function* storeBlocks(additions: readonly BlockAddition[]): DbWork<void> {
  yield* allOf(append, additions.map(rowOf))
}

function rowOf({ num, keepDays, firstAt, results }: BlockAddition): ResultBlockTable {
  const counts: Record<ResultState, number> = { UP: 0, DEGRADED: 0, DOWN: 0, INCONCLUSIVE: 0 }
  for (const { state } of resultsIn({ firstAt, results })) counts[state] += 1
  return {
    num,
    first_at: firstAt,
    expires_at: expiryOf(firstAt, keepDays),
    up: counts.UP,
    degraded: counts.DEGRADED,
    down: counts.DOWN,
    inconclusive: counts.INCONCLUSIVE,
    results,
  }
}

/** A block may have results of a whole day. */
export function expiryOf(at: number, keepDays: number): number {
  return at + (keepDays + 1) * DAY_MS
}

/** Deletes at most `limit` blocks whose retention time is over, and returns their number. */
export const pruneBlocks = pruning({ table: 'result_blocks', key: ['num', 'first_at'], by: 'expires_at' })
