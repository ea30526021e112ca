import { sql } from 'kysely'
import { type DbWork, execute } from '../../storage/query.ts'
import { foldCase } from '../monitors/listed.ts'
import { type Bucket, type Slice, slicesOf } from './buckets.ts'
import { isInBucketSql, likeText, listedIn, type Scope } from './match-monitors.ts'
import type { ListOrder } from './order-monitors.ts'
import { isLive } from './sort-live-values.ts'
import { numsByStoredValue } from './sort-stored-values.ts'

/** The numbers of the monitors of a page, in order. Only the buckets of the page are read. */
export function* numsOfPage(
  scope: Scope,
  buckets: readonly Bucket[],
  order: ListOrder,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): DbWork<readonly number[]> {
  const nums: number[] = []
  const { sort } = order
  for (const slice of slicesOf(buckets, offset, limit)) {
    const some = isLive(sort) ? numsByStoredValue(scope, slice, { ...order, sort }) : numsByName(scope, slice, order)
    nums.push(...(yield* some))
  }
  return nums
}

/** Names that equal the text, then those that begin with it, then those with a word that does. */
export function* numsByMatch(
  scope: Scope,
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): DbWork<readonly number[]> {
  const folded = foldCase(text)
  const start = `${likeText(folded)}%`
  const rank = sql<number>`case when l.name_key = ${folded} then 0 when l.name_key like ${start} escape '\\' then 1
    when l.name_key like ${`% ${start}`} escape '\\' then 2 else 3 end`
  const rows = yield* execute(
    listedIn(scope).select('l.num').orderBy(rank).orderBy('l.name_key').orderBy('l.num').limit(limit).offset(offset),
  )
  return rows.map(({ num }) => num)
}

/** Read from the nearer end of the bucket. */
function* numsByName(scope: Scope, { bucket, skip, take }: Slice, { sort, order }: ListOrder): DbWork<number[]> {
  const rest = bucket.count - skip - take
  const isFromEnd = rest < skip
  const isDescending = sort === 'name' && order === 'desc'
  const rows = yield* execute(
    listedIn(scope)
      .select('l.num')
      .where(isInBucketSql(bucket, 'indexed'))
      .orderBy('l.name_key', isDescending !== isFromEnd ? 'desc' : 'asc')
      .orderBy('l.num', isFromEnd ? 'desc' : 'asc')
      .limit(take)
      .offset(isFromEnd ? rest : skip),
  )
  const nums = rows.map(({ num }) => num)
  return isFromEnd ? nums.reverse() : nums
}
