import { sql } from 'kysely'
import { all, cacheable, type DbWork, first, q, run, runEach, statement } from './query.ts'
import type { ListKind } from './schema/organizations.ts'

/**
 * The roster numbers an organization's resources in order of creation and counts them in blocks, so that a total and
 * the page at any offset cost the same in a list of a hundred as in one of a hundred thousand. Everything here runs in
 * the transaction that adds or removes the resource: the counts are exact, and plan limits may rely on them.
 */
const BLOCK_SIZE = 1024

interface Place {
  readonly orgId: string
  readonly kind: ListKind
}

interface Several extends Place {
  readonly count: number
}

interface InBlock extends Several {
  readonly block: number
}

const issue = statement(({ orgId, kind, count }: Several) =>
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

const growBlock = statement(({ orgId, kind, block, count }: InBlock) =>
  q
    .insertInto('list_blocks')
    .values({ org_id: orgId, kind, block, live: count })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind', 'block']).doUpdateSet({ live: sql<number>`list_blocks.live + ${count}` }),
    ),
)

/** Gives the next place in the list; `live` counts the resources with this one. */
export function* addToList(orgId: string, kind: ListKind): DbWork<{ seq: number; live: number }> {
  const total = yield* first(issue, { orgId, kind, count: 1 })
  if (total === undefined) throw new Error('The roster gave no number')
  const seq = total.issued - 1
  yield* run(growBlock, { orgId, kind, block: Math.floor(seq / BLOCK_SIZE), count: 1 })
  return { seq, live: total.live }
}

/** Gives several places at once, one after the other. */
export function* addSeveralToList(orgId: string, kind: ListKind, count: number): DbWork<readonly number[]> {
  const total = yield* first(issue, { orgId, kind, count })
  if (total === undefined) throw new Error('The roster gave no numbers')
  const seqs = Array.from({ length: count }, (_, i) => total.issued - count + i)
  yield* runEach(
    growBlock,
    blocksOf(seqs).map((counted) => ({ orgId, kind, ...counted })),
  )
  return seqs
}

interface Counted {
  readonly block: number
  readonly count: number
}

function blocksOf(seqs: readonly number[]): Counted[] {
  const groups = Map.groupBy(seqs, (seq) => Math.floor(seq / BLOCK_SIZE))
  return [...groups].map(([block, its]) => ({ block, count: its.length }))
}

const shrinkTotal = statement(({ orgId, kind, count }: Several) =>
  q
    .updateTable('list_totals')
    .set({ live: sql<number>`live - ${count}` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind),
)

const shrinkBlock = statement(({ orgId, kind, block, count }: InBlock) =>
  q
    .updateTable('list_blocks')
    .set({ live: sql<number>`live - ${count}` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('block', '=', block),
)

const dropEmptyBlock = statement(({ orgId, kind, block }: Place & { block: number }) =>
  q
    .deleteFrom('list_blocks')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('block', '=', block)
    .where('live', '=', 0),
)

export function* removeFromList(orgId: string, kind: ListKind, seq: number): DbWork<void> {
  yield* removeCountedFromList(orgId, kind, [{ block: Math.floor(seq / BLOCK_SIZE), count: 1 }])
}

export function* removeSeveralFromList(orgId: string, kind: ListKind, seqs: readonly number[]): DbWork<void> {
  yield* removeCountedFromList(orgId, kind, blocksOf(seqs))
}

/** Whether a `d.seq` is in the block `b.block`, for those who count in the database what they are about to strike. */
export const isInBlock = sql<boolean>`d.seq >= b.block * ${sql.lit(BLOCK_SIZE)} and d.seq < (b.block + 1) * ${sql.lit(BLOCK_SIZE)}`

/** Strikes as many from each block as were counted there, however many that are. */
export function* removeCountedFromList(orgId: string, kind: ListKind, blocks: readonly Counted[]): DbWork<void> {
  const count = blocks.reduce((sum, block) => sum + block.count, 0)
  if (count === 0) return
  // The total first: every change of one roster takes the same row first, so that two of them cannot deadlock.
  yield* run(shrinkTotal, { orgId, kind, count })
  const each = blocks.map((counted) => ({ orgId, kind, ...counted }))
  yield* runEach(shrinkBlock, each)
  yield* runEach(dropEmptyBlock, each)
}

const readTotal = cacheable(({ orgId, kind }: Place) =>
  q.selectFrom('list_totals').select('live').where('org_id', '=', orgId).where('kind', '=', kind),
)

export function* countInList(orgId: string, kind: ListKind): DbWork<number> {
  return (yield* first(readTotal, { orgId, kind }))?.live ?? 0
}

const readBlocks = statement(({ orgId, kind }: Place) =>
  q
    .selectFrom('list_blocks')
    .select(['block', 'live'])
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .orderBy('block'),
)

/** A page of a list, and how long the whole list is. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** Some rows of a list, in order: from number `fromSeq` on, after leaving out `skip`. */
export interface ListRange {
  readonly fromSeq: number
  readonly skip: number
  readonly limit: number
}

/** A page of the newest first. The whole list has its places counted, so any page of it costs the same. */
export function* newestFirst<Row>(
  orgId: string,
  kind: ListKind,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  inOrder: (stretch: ListRange) => DbWork<readonly Row[]>,
): DbWork<ListPage<Row>> {
  const total = yield* countInList(orgId, kind)
  if (offset >= total) return { rows: [], total }
  const firstPlace = Math.max(0, total - offset - limit)
  const { fromSeq, skip } = yield* seekInList(orgId, kind, firstPlace)
  const rows = yield* inOrder({ fromSeq, skip, limit: total - offset - firstPlace })
  return { rows: rows.toReversed(), total }
}

/** Where the page at `offset` begins: skip `skip` resources from number `fromSeq` on. */
export function* seekInList(orgId: string, kind: ListKind, offset: number): DbWork<{ fromSeq: number; skip: number }> {
  if (offset < BLOCK_SIZE) return { fromSeq: 0, skip: offset }
  let before = 0
  // A hundred small rows for a hundred thousand resources: adding them up here takes half of what a window function does.
  for (const { block, live } of yield* all(readBlocks, { orgId, kind })) {
    if (before + live > offset) return { fromSeq: block * BLOCK_SIZE, skip: offset - before }
    before += live
  }
  return { fromSeq: Number.MAX_SAFE_INTEGER, skip: 0 }
}
