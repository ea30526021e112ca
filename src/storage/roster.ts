import { sql } from 'kysely'
import { all, first, keepable, q, run, statement, type Work } from './query.ts'
import type { RosterKind } from './schema.ts'

/**
 * The roster numbers an organization's resources in order of creation and counts them in blocks, so that a total and
 * the page at any offset cost the same in a list of a hundred as in one of a hundred thousand. Everything here runs in
 * the transaction that adds or removes the resource: the counts are exact, and plan limits may rely on them.
 */
const BLOCK_SIZE = 1024

interface Place {
  readonly orgId: string
  readonly kind: RosterKind
}

const issue = statement(({ orgId, kind }: Place) =>
  q
    .insertInto('roster_totals')
    .values({ org_id: orgId, kind, live: 1, issued: 1 })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind']).doUpdateSet({
        live: sql<number>`roster_totals.live + 1`,
        issued: sql<number>`roster_totals.issued + 1`,
      }),
    )
    .returning(['live', 'issued']),
)

const growBlock = statement(({ orgId, kind, block }: Place & { block: number }) =>
  q
    .insertInto('roster_blocks')
    .values({ org_id: orgId, kind, block, live: 1 })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind', 'block']).doUpdateSet({ live: sql<number>`roster_blocks.live + 1` }),
    ),
)

/** Gives the next place in the list; `live` counts the resources with this one. */
export function* enroll(orgId: string, kind: RosterKind): Work<{ seq: number; live: number }> {
  const total = yield* first(issue, { orgId, kind })
  if (total === undefined) throw new Error('The roster gave no number')
  const seq = total.issued - 1
  yield* run(growBlock, { orgId, kind, block: Math.floor(seq / BLOCK_SIZE) })
  return { seq, live: total.live }
}

const shrinkTotal = statement(({ orgId, kind }: Place) =>
  q
    .updateTable('roster_totals')
    .set({ live: sql<number>`live - 1` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind),
)

const shrinkBlock = statement(({ orgId, kind, block }: Place & { block: number }) =>
  q
    .updateTable('roster_blocks')
    .set({ live: sql<number>`live - 1` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('block', '=', block),
)

const dropEmptyBlock = statement(({ orgId, kind, block }: Place & { block: number }) =>
  q
    .deleteFrom('roster_blocks')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('block', '=', block)
    .where('live', '=', 0),
)

export function* strike(orgId: string, kind: RosterKind, seq: number): Work<void> {
  const block = Math.floor(seq / BLOCK_SIZE)
  // The total first: every change of one roster takes the same row first, so that two of them cannot deadlock.
  yield* run(shrinkTotal, { orgId, kind })
  yield* run(shrinkBlock, { orgId, kind, block })
  yield* run(dropEmptyBlock, { orgId, kind, block })
}

const readTotal = keepable(({ orgId, kind }: Place) =>
  q.selectFrom('roster_totals').select('live').where('org_id', '=', orgId).where('kind', '=', kind),
)

export function* countOf(orgId: string, kind: RosterKind): Work<number> {
  return (yield* first(readTotal, { orgId, kind }))?.live ?? 0
}

const readBlocks = statement(({ orgId, kind }: Place) =>
  q
    .selectFrom('roster_blocks')
    .select(['block', 'live'])
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .orderBy('block'),
)

/** Where the page at `offset` begins: skip `skip` resources from number `fromSeq` on. */
export function* seek(orgId: string, kind: RosterKind, offset: number): Work<{ fromSeq: number; skip: number }> {
  if (offset < BLOCK_SIZE) return { fromSeq: 0, skip: offset }
  let before = 0
  // A hundred small rows for a hundred thousand resources: adding them up here takes half of what a window function does.
  for (const { block, live } of yield* all(readBlocks, { orgId, kind })) {
    if (before + live > offset) return { fromSeq: block * BLOCK_SIZE, skip: offset - before }
    before += live
  }
  return { fromSeq: Number.MAX_SAFE_INTEGER, skip: 0 }
}
