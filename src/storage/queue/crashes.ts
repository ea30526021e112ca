import { DAY_MS } from '../../lib/clock.ts'
import { insertBatch, sendAll } from '../batch.ts'
import type { CrashedRow } from '../nodes/release.ts'
import { type DbWork, execute, q, run, statement } from '../query.ts'
import { type Crash, crashDelayMs } from './crash-delay.ts'
import { pruning } from './prune.ts'

const save = insertBatch(
  'crashed_rows',
  { queue: 'text', row_key: 'text', crashes: 'bigint', retry_at: 'bigint' },
  (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['queue', 'row_key']).doUpdateSet(({ ref }) => ({
        crashes: ref('excluded.crashes'),
        retry_at: ref('excluded.retry_at'),
      })),
    ),
)

/** Notes that the processing of these rows crashed. None is claimed before its `retryAt`. */
export function* noteCrashes(
  queue: string,
  rowKeys: readonly string[],
  crash: Crash,
  now: number,
  random: () => number,
): DbWork<readonly (CrashedRow & { readonly retryAt: number })[]> {
  if (rowKeys.length === 0) return []
  const known = q.selectFrom('crashed_rows').select(['row_key', 'crashes']).where('queue', '=', queue)
  const found = yield* execute(known.where('row_key', 'in', rowKeys))
  const before = new Map(found.map(({ row_key: rowKey, crashes }) => [rowKey, crashes]))
  // In one order, so that two transactions cannot deadlock.
  const rows = rowKeys.toSorted().map((rowKey) => {
    const crashes = (before.get(rowKey) ?? 0) + 1
    return { queue, rowKey, crashes, retryAt: now + crashDelayMs(crash, crashes, random()) }
  })
  yield* sendAll(
    save,
    rows.map(({ rowKey, retryAt, ...row }) => ({ ...row, row_key: rowKey, retry_at: retryAt })),
  )
  return rows
}

const forget = statement(({ queue, rowKey }: { queue: string; rowKey: string }) =>
  q.deleteFrom('crashed_rows').where('queue', '=', queue).where('row_key', '=', rowKey),
)

/** The row was processed. */
export function* forgetCrashes(queue: string, rowKey: string): DbWork<void> {
  yield* run(forget, { queue, rowKey })
}

/** Those of rows that were deleted, or that nobody claims any more. */
export const pruneCrashes = pruning({
  table: 'crashed_rows',
  key: ['queue', 'row_key'],
  by: 'retry_at',
  keptMs: 7 * DAY_MS,
})

/** A first crash is most likely not caused by the row. */
const repeatedly = q.selectFrom('crashed_rows').where('crashes', '>', 1)

/** How many rows wait because their processing crashed repeatedly. */
export function* countSetAside(now: number): DbWork<number> {
  const counted = repeatedly.where('retry_at', '>', now).select((is) => is.fn.countAll<number>().as('count'))
  return (yield* execute(counted))[0]?.count ?? 0
}

/** The rows that wait, those that crashed most often first. */
export function* rowsSetAside(now: number, limit: number): DbWork<readonly CrashedRow[]> {
  const rows = repeatedly.where('retry_at', '>', now).select(['queue', 'row_key', 'crashes', 'retry_at'])
  const found = yield* execute(rows.orderBy('crashes', 'desc').limit(limit))
  return found.map((row) => ({ queue: row.queue, rowKey: row.row_key, crashes: row.crashes, retryAt: row.retry_at }))
}
