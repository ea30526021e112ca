import { insertBatch, sendAll } from '../../storage/batch.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { OnMonitorsDeleted } from '../monitors/remove.ts'

const insertTombstone = insertBatch('result_tombstones', { num: 'bigint' })

/** A monitor may have many results. They are deleted later, some at a time. Without a state row none is added. */
export const removeResultsOfMonitors: OnMonitorsDeleted = function* (_, monitors) {
  yield* sendAll(
    insertTombstone,
    monitors.map(({ num }) => ({ num })),
  )
}

/** Locked: one node at a time deletes the results of a monitor, so it knows when none is left. */
const anyTombstone = statement((_: object) =>
  q.selectFrom('result_tombstones').select('num').limit(1).forUpdate().skipLocked(),
)

const deleteReasons = statement(({ num, limit }: { num: number; limit: number }) =>
  q
    .deleteFrom('check_reasons')
    .where('num', '=', num)
    .where('at', 'in', (of) =>
      of.selectFrom('check_reasons').select('at').where('num', '=', num).orderBy('at').limit(limit),
    ),
)

const deleteBlocks = statement(({ num, limit }: { num: number; limit: number }) =>
  q
    .deleteFrom('result_blocks')
    .where('num', '=', num)
    .where('first_at', 'in', (of) =>
      of.selectFrom('result_blocks').select('first_at').where('num', '=', num).orderBy('first_at').limit(limit),
    ),
)

const deleteTombstone = statement(({ num }: { num: number }) =>
  q.deleteFrom('result_tombstones').where('num', '=', num),
)

/** Deletes at most `limit` blocks and reasons of a deleted monitor, and its tombstone after the last one. Returns how many rows. */
export function* pruneDeletedMonitors(limit: number): DbWork<number> {
  const tombstone = yield* first(anyTombstone, {})
  if (tombstone === undefined) return 0
  const { num } = tombstone
  const blocks = yield* run(deleteBlocks, { num, limit })
  const reasons = yield* run(deleteReasons, { num, limit: limit - blocks })
  if (blocks + reasons === limit) return limit
  return blocks + reasons + (yield* run(deleteTombstone, { num }))
}
