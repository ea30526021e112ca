import { type DbWork, execute, q } from '../../storage/query.ts'
import { uptimeRatios } from '../uptime/compute.ts'
import { type Bucket, isInBucket } from './buckets.ts'
import type { ListedMonitor } from './match-monitors.ts'
import type { ListOrder, SortKey } from './order-monitors.ts'

/** Lists of more monitors are sorted by stored values: reading the live ones would take too long. */
export const EXACT_UP_TO = 1_000

/** Values that change with every check, so there is no index of them. */
export function isLive(sort: SortKey): sort is 'uptime' | 'response' | 'checked' {
  return sort === 'uptime' || sort === 'response' || sort === 'checked'
}

/**
 * The numbers of all monitors in the buckets, in order. The monitors are in order of name. Columns that change with every
 * check are sorted by their live values; monitors without a value come last.
 */
export function* numsInOrder(
  monitors: readonly ListedMonitor[],
  buckets: readonly Bucket[],
  { sort, order }: ListOrder,
  now: number,
): DbWork<readonly number[]> {
  const all = monitors.map(({ num }) => num)
  const values = isLive(sort) ? yield* liveValues(all, sort, now) : undefined
  const direction = order === 'desc' ? -1 : 1
  return buckets.flatMap((bucket) => {
    const nums = monitors.filter((one) => isInBucket(bucket, one)).map(({ num }) => num)
    if (values === undefined) return nums
    // Sorting is stable.
    return nums.sort((a, b) => compare(values.get(a) ?? null, values.get(b) ?? null, direction))
  })
}

function liveValues(nums: readonly number[], sort: SortKey, now: number) {
  return sort === 'uptime' ? uptimeRatios(nums, '30d', now) : lastValues(nums, sort)
}

function compare(a: number | null, b: number | null, direction: number): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return direction * (a - b)
}

function* lastValues(nums: readonly number[], sort: SortKey): DbWork<ReadonlyMap<number, number | null>> {
  if (nums.length === 0) return new Map()
  const rows = yield* execute(
    q
      .selectFrom('monitor_states')
      .select(['num', sort === 'response' ? 'last_response_ms as value' : 'last_checked_at as value'])
      .where('num', 'in', nums),
  )
  return new Map(rows.map(({ num, value }) => [num, value]))
}
