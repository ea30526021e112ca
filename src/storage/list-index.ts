import { type SelectQueryBuilder, sql } from 'kysely'
import { NotNullViolation } from './database.ts'
import { cacheable, type DbRead, type DbWork, execute, first, q, send, statement } from './query.ts'
import type { ListKind } from './schema/organizations.ts'

/**
 * Numbers an organization's resources in order of creation (`seq`) and counts them, in the transaction that adds or removes
 * one: counts are exact, and plan limits rely on them.
 */
interface ListKey {
  readonly orgId: string
  readonly kind: ListKind
}

interface Amount extends ListKey {
  readonly count: number
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

/** Returns the number of a new resource, and how many there are with it. */
export function* addToList(orgId: string, kind: ListKind): DbWork<{ seq: number; live: number }> {
  const { live, issued } = yield* grow(orgId, kind, 1)
  return { seq: issued - 1, live }
}

/** Returns consecutive numbers for several new resources. */
export function* addSeveralToList(orgId: string, kind: ListKind, count: number): DbWork<readonly number[]> {
  const { issued } = yield* grow(orgId, kind, count)
  return Array.from({ length: count }, (_, i) => issued - count + i)
}

function* grow(orgId: string, kind: ListKind, count: number): DbWork<{ live: number; issued: number }> {
  const total = yield* first(growTotal, { orgId, kind, count })
  if (total === undefined) throw new Error('The list total was not returned')
  return total
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
}

const shrinkTotal = statement(({ orgId, kind, count }: Amount) =>
  q
    .updateTable('list_totals')
    .set({ live: sql<number>`live - ${count}` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind),
)

export function* removeFromList(orgId: string, kind: ListKind, count = 1): DbWork<void> {
  if (count > 0) yield* send(shrinkTotal, { orgId, kind, count })
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

/** A page of a list, and the length of the whole list. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** A page of the rows that match. The length of a list without a filter is known; others are counted. */
export function* listPage<DB, TB extends keyof DB, Row>(
  matching: SelectQueryBuilder<DB, TB, Row>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  whole?: ListKey,
): DbWork<ListPage<Row>> {
  const total = whole === undefined ? yield* countRows(matching) : yield* countInList(whole.orgId, whole.kind)
  if (offset >= total) return { rows: [], total }
  return { rows: yield* execute(matching.limit(limit).offset(offset)), total }
}

function* countRows<DB, TB extends keyof DB, Row>(matching: SelectQueryBuilder<DB, TB, Row>): DbRead<number> {
  const [row] = yield* execute(
    matching.clearSelect().clearOrderBy().select(sql`count(*)`.as('count')).$castTo<{ readonly count: number }>(),
  )
  return row?.count ?? 0
}
