import { sql } from 'kysely'
import { NotNullViolation } from './database.ts'
import { all, cacheable, type DbWork, first, q, runEach, send, statement } from './query.ts'
import type { ListKind } from './schema/organizations.ts'

/**
 * Numbers an organization's resources in order of creation (`seq`) and counts them in blocks of 1024 numbers. So a total
 * and a page at any offset cost the same in a list of any length. Everything here runs in the transaction that adds or
 * removes the resource: counts are exact, and plan limits rely on them.
 */
const BLOCK_SIZE = 1024

interface ListKey {
  readonly orgId: string
  readonly kind: ListKind
}

interface Amount extends ListKey {
  readonly count: number
}

interface BlockAmount extends Amount {
  readonly block: number
}

const growTotal = statement(({ orgId, kind, count }: Amount) =>
  q
    .insertInto('list_totals')
    .values({ org_id: orgId, kind, live: count, issued: count })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind']).doUpdateSet({
        live: sql<number>`list_totals.live + ${count}`,
        issued: sql<number>`list_totals.issued + ${count}`,
      }),
    )
    .returning(['live', 'issued']),
)

const growBlock = statement(({ orgId, kind, block, count }: BlockAmount) =>
  q
    .insertInto('list_blocks')
    .values({ org_id: orgId, kind, block, live: count })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind', 'block']).doUpdateSet({ live: sql<number>`list_blocks.live + ${count}` }),
    ),
)

/** Returns the number of a new resource, and how many there are with it. */
export function* addToList(orgId: string, kind: ListKind): DbWork<{ seq: number; live: number }> {
  const total = yield* first(growTotal, { orgId, kind, count: 1 })
  if (total === undefined) throw new Error('The list total was not returned')
  const seq = total.issued - 1
  yield* send(growBlock, { orgId, kind, block: Math.floor(seq / BLOCK_SIZE), count: 1 })
  return { seq, live: total.live }
}

interface Limited extends ListKey {
  readonly limit: number
}

/** Above the limit it stores null, which the column rejects, so that the transaction fails without a round trip. */
const growTotalWithin = statement(({ orgId, kind, limit }: Limited) => {
  const within = (live: string) =>
    sql<number>`case when ${sql.raw(live)} <= cast(${limit} as bigint) then ${sql.raw(live)} end`
  return q
    .insertInto('list_totals')
    .values({ org_id: orgId, kind, live: within('1'), issued: 1 })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind']).doUpdateSet({
        live: within('list_totals.live + 1'),
        issued: sql<number>`list_totals.issued + 1`,
      }),
    )
})

/** SQL: the number of the resource that this transaction added last. */
export function lastAdded(orgId: string, kind: ListKind) {
  return sql<number>`(select issued - 1 from list_totals where org_id = ${orgId} and kind = ${kind})`
}

/**
 * SQL: the `num` of the monitor that this transaction has inserted with the number `lastAdded`. Not found by its id: as long
 * as the table has no statistics, PostgreSQL would choose the narrower index (org_id, seq) for that, and read all monitors of
 * the organization.
 */
export function lastAddedMonitor(orgId: string) {
  return sql<number>`(select num from monitors where org_id = ${orgId} and seq = ${lastAdded(orgId, 'monitor')})`
}

const growLastBlock = statement(({ orgId, kind }: ListKey) => {
  const block = sql<number>`${lastAdded(orgId, kind)} / ${sql.lit(BLOCK_SIZE)}`
  return q
    .insertInto('list_blocks')
    .values({ org_id: orgId, kind, block, live: 1 })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind', 'block']).doUpdateSet({ live: sql<number>`list_blocks.live + 1` }),
    )
})

/**
 * Adds a resource without waiting for its number, which the insertion of the resource reads by `lastAdded`. Throws what
 * `onLimit` returns if there would be more than `limit`. The row of the total stays locked until the commit and every
 * creation of the organization needs it, so this should be one of the last steps.
 */
export function* addToListWithin(orgId: string, kind: ListKind, limit: number, onLimit: () => Error): DbWork<void> {
  const finite = Math.min(limit, Number.MAX_SAFE_INTEGER)
  yield* send(growTotalWithin, { orgId, kind, limit: finite }, (error) =>
    error instanceof NotNullViolation ? onLimit() : error,
  )
  yield* send(growLastBlock, { orgId, kind })
}

/** Returns consecutive numbers for several new resources. */
export function* addSeveralToList(orgId: string, kind: ListKind, count: number): DbWork<readonly number[]> {
  const total = yield* first(growTotal, { orgId, kind, count })
  if (total === undefined) throw new Error('The list total was not returned')
  const seqs = Array.from({ length: count }, (_, i) => total.issued - count + i)
  yield* runEach(
    growBlock,
    countByBlock(seqs).map((counted) => ({ orgId, kind, ...counted })),
  )
  return seqs
}

interface BlockCount {
  readonly block: number
  readonly count: number
}

function countByBlock(seqs: readonly number[]): BlockCount[] {
  const groups = Map.groupBy(seqs, (seq) => Math.floor(seq / BLOCK_SIZE))
  return [...groups].map(([block, inBlock]) => ({ block, count: inBlock.length }))
}

const shrinkTotal = statement(({ orgId, kind, count }: Amount) =>
  q
    .updateTable('list_totals')
    .set({ live: sql<number>`live - ${count}` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind),
)

const shrinkBlock = statement(({ orgId, kind, block, count }: BlockAmount) =>
  q
    .updateTable('list_blocks')
    .set({ live: sql<number>`live - ${count}` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('block', '=', block),
)

const deleteEmptyBlock = statement(({ orgId, kind, block }: ListKey & { block: number }) =>
  q
    .deleteFrom('list_blocks')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('block', '=', block)
    .where('live', '=', 0),
)

export function* removeFromList(orgId: string, kind: ListKind, seq: number): DbWork<void> {
  yield* removeSeveralFromList(orgId, kind, [seq])
}

export function* removeSeveralFromList(orgId: string, kind: ListKind, seqs: readonly number[]): DbWork<void> {
  yield* removeCountedFromList(orgId, kind, countByBlock(seqs))
}

/** SQL: whether the number `d.seq` is in the block `b.block`. For queries that count by block what they will remove. */
export const isInBlock = sql<boolean>`d.seq >= b.block * ${sql.lit(BLOCK_SIZE)} and d.seq < (b.block + 1) * ${sql.lit(BLOCK_SIZE)}`

export function* removeCountedFromList(orgId: string, kind: ListKind, blocks: readonly BlockCount[]): DbWork<void> {
  const count = blocks.reduce((sum, block) => sum + block.count, 0)
  if (count === 0) return
  // The total first: every change of a list locks that row first, so two changes cannot deadlock.
  yield* send(shrinkTotal, { orgId, kind, count })
  const amounts = blocks.map((counted) => ({ orgId, kind, ...counted }))
  yield* runEach(shrinkBlock, amounts)
  yield* runEach(deleteEmptyBlock, amounts)
}

const readTotal = cacheable(({ orgId, kind }: ListKey) =>
  q.selectFrom('list_totals').select('live').where('org_id', '=', orgId).where('kind', '=', kind),
)

/** SQL: the length of a list, for a statement that also reads a page of it. */
export function totalOf(orgId: string, kind: ListKind) {
  return sql<number>`coalesce((select live from list_totals where org_id = ${orgId} and kind = ${kind}), 0)`
}

export function* countInList(orgId: string, kind: ListKind): DbWork<number> {
  return (yield* first(readTotal, { orgId, kind }))?.live ?? 0
}

const readBlocks = statement(({ orgId, kind }: ListKey) =>
  q
    .selectFrom('list_blocks')
    .select(['block', 'live'])
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .orderBy('block'),
)

/** A page of a list, and the length of the whole list. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** Rows in ascending order of `seq`: start at `fromSeq`, skip `skip`, return at most `limit`. */
interface ListRange {
  readonly fromSeq: number
  readonly skip: number
  readonly limit: number
}

/** A page in descending order. `readRange` reads its rows in ascending order. */
export function* newestFirst<Row>(
  orgId: string,
  kind: ListKind,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  readRange: (range: ListRange) => DbWork<readonly Row[]>,
): DbWork<ListPage<Row>> {
  const total = yield* countInList(orgId, kind)
  if (offset >= total) return { rows: [], total }
  const start = Math.max(0, total - offset - limit)
  const { fromSeq, skip } = yield* seekInList(orgId, kind, start)
  const rows = yield* readRange({ fromSeq, skip, limit: total - offset - start })
  return { rows: rows.toReversed(), total }
}

/** Whether the page at this offset starts in the first block, which `seekInList` finds without a query. */
export function isNearStart(offset: number): boolean {
  return offset < BLOCK_SIZE
}

/** Where the page at `offset` starts: at number `fromSeq`, after `skip` resources. */
export function* seekInList(orgId: string, kind: ListKind, offset: number): DbWork<{ fromSeq: number; skip: number }> {
  if (isNearStart(offset)) return { fromSeq: 0, skip: offset }
  let before = 0
  // 100,000 resources have about 100 blocks: summing them here is twice as fast as a window function.
  for (const { block, live } of yield* all(readBlocks, { orgId, kind })) {
    if (before + live > offset) return { fromSeq: block * BLOCK_SIZE, skip: offset - before }
    before += live
  }
  return { fromSeq: Number.MAX_SAFE_INTEGER, skip: 0 }
}
