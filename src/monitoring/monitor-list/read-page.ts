import { type RawBuilder, sql } from 'kysely'
import { type DbWork, execute } from '../../storage/query.ts'
import { foldCase } from '../monitors/save-list-row.ts'
import { uptimeRatios } from '../uptime/compute.ts'
import { isInBucketSql, likeText, listedIn, type Scope } from './match.ts'
import { type Bucket, type ListOrder, type Slice, type SortKey, slicesOf } from './order.ts'

/** Longer lists are sorted by the stored uptime, which is up to an hour old: reading all days would take too long. */
export const EXACT_UP_TO = 1_000

interface Page {
  readonly offset: number
  readonly limit: number
}

/** The numbers of the monitors of a page, in order. Only the buckets of the page are read. */
export function* numsOfPage(
  scope: Scope,
  buckets: readonly Bucket[],
  order: ListOrder,
  { offset, limit }: Page,
  now: number,
): DbWork<readonly number[]> {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  if (order.sort === 'uptime' && total <= EXACT_UP_TO) {
    return (yield* numsByUptime(scope, buckets, order, now)).slice(offset, offset + limit)
  }
  const nums: number[] = []
  for (const slice of slicesOf(buckets, offset, limit)) nums.push(...(yield* numsOfSlice(scope, slice, order)))
  return nums
}

/** Names that equal the text, then those that begin with it, then those with a word that does. */
export function* numsByMatch(scope: Scope, text: string, { offset, limit }: Page): DbWork<readonly number[]> {
  const folded = foldCase(text)
  const start = `${likeText(folded)}%`
  const rank = sql<number>`case when l.name_key = ${folded} then 0 when l.name_key like ${start} escape '\\' then 1
    when l.name_key like ${`% ${start}`} escape '\\' then 2 else 3 end`
  const rows = yield* execute(
    listedIn(scope).select('l.num').orderBy(rank).orderBy('l.name_key').orderBy('l.num').limit(limit).offset(offset),
  )
  return rows.map(({ num }) => num)
}

/** Columns with a number above all values: monitors without a value come last in both directions. */
const valueColumns: Readonly<Partial<Record<SortKey, readonly [string, string]>>> = {
  uptime: ['l.uptime', '2'],
  response: ['s.last_response_ms', '9007199254740991'],
  checked: ['s.last_checked_at', '9007199254740991'],
}

function sortValue({ sort, order }: ListOrder): RawBuilder<number> | undefined {
  const [column, noValue] = valueColumns[sort] ?? []
  if (column === undefined) return undefined
  return sql`coalesce(${sql.raw(order === 'desc' ? '-' : '')}${sql.ref(column)}, ${sql.raw(noValue as string)})`
}

/** By the value of the column, then by name. Read from the nearer end of the bucket. */
function* numsOfSlice(scope: Scope, { bucket, skip, take }: Slice, order: ListOrder): DbWork<number[]> {
  const rest = bucket.count - skip - take
  const isFromEnd = rest < skip
  const direction = isFromEnd ? 'desc' : 'asc'
  const isByNameDescending = order.sort === 'name' && order.order === 'desc'
  const value = sortValue(order)
  let monitors = listedIn(scope).where(isInBucketSql(scope, bucket))
  if (order.sort === 'response' || order.sort === 'checked') {
    monitors = monitors.innerJoin('monitor_states as s', 's.num', 'l.num') as unknown as typeof monitors
  }
  if (value !== undefined) monitors = monitors.orderBy(value, direction)
  const rows = yield* execute(
    monitors
      .select('l.num')
      .orderBy('l.name_key', isByNameDescending !== isFromEnd ? 'desc' : 'asc')
      .orderBy('l.num', direction)
      .limit(take)
      .offset(isFromEnd ? rest : skip),
  )
  const nums = rows.map(({ num }) => num)
  return isFromEnd ? nums.reverse() : nums
}

/** All monitors of the buckets by the uptime that is shown. */
function* numsByUptime(scope: Scope, buckets: readonly Bucket[], { order }: ListOrder, now: number): DbWork<number[]> {
  const nums: number[] = []
  const direction = order === 'desc' ? -1 : 1
  for (const bucket of buckets) {
    const all = yield* numsOfSlice(scope, { bucket, skip: 0, take: bucket.count }, { sort: 'name', order: 'asc' })
    const uptimes = yield* uptimeRatios(all, '30d', now)
    // Sorting is stable: equal ones stay in order of name.
    all.sort((a, b) => {
      const [one, other] = [uptimes.get(a) ?? null, uptimes.get(b) ?? null]
      if (one === null || other === null) return (one === null ? 1 : 0) - (other === null ? 1 : 0)
      return direction * (one - other)
    })
    nums.push(...all)
  }
  return nums
}
