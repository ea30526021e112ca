import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { type NotableState, notableCodes } from '../checks/notable-results.ts'
import { countsBetween, isWithin } from './check-days.ts'
import { partsBetween, type StoredPart, type TimeRange } from './stored-results.ts'

interface NotableDay {
  readonly dayAt: number
  readonly count: number
}

/** How many results of this state a monitor has on each day, newest first. */
export function* notableDays(num: number, state: NotableState, range: TimeRange): DbWork<readonly NotableDay[]> {
  const days = new Map<number, number>()
  const counted = state === 'INCONCLUSIVE' ? new Set<number>() : yield* countedDays(range)
  if (counted.size > 0) {
    for (const { day_at: dayAt, down, degraded } of yield* countsBetween(num, range)) {
      if (counted.has(dayAt)) days.set(dayAt, (days.get(dayAt) ?? 0) + (state === 'DOWN' ? down : degraded))
    }
  }
  for (const [dayAt, count] of yield* countNotable(num, state, rangesBetween(counted, range))) days.set(dayAt, count)
  return [...days]
    .map(([dayAt, count]) => ({ dayAt, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.dayAt - a.dayAt)
}

/** The days of the range whose results are counted in all of their parts. */
function* countedDays(range: TimeRange): DbWork<ReadonlySet<number>> {
  const parts = Map.groupBy(yield* partsBetween(range), (part) => part.day_at)
  const isCounted = ([dayAt, its]: [number, StoredPart[]]) =>
    isWithin(dayAt, range) && its.every((part) => part.counted_at !== null)
  return new Set([...parts].filter(isCounted).map(([dayAt]) => dayAt))
}

/** What is left of a range without these days. Days without a part are left too: their results may not be moved yet. */
function rangesBetween(days: ReadonlySet<number>, { from, to }: TimeRange): readonly TimeRange[] {
  const ranges: TimeRange[] = []
  let start = from
  for (const dayAt of [...days].sort((a, b) => a - b)) {
    if (dayAt > start) ranges.push({ from: start, to: dayAt })
    start = dayAt + DAY_MS
  }
  return start < to ? [...ranges, { from: start, to }] : ranges
}

/** Results of this state by day. */
export function* countNotable(
  num: number,
  state: NotableState,
  ranges: readonly TimeRange[],
): DbWork<ReadonlyMap<number, number>> {
  if (ranges.length === 0) return new Map()
  const day = sql`cast(at / ${sql.lit(DAY_MS)} as bigint)`
  const counts = ranges.map(
    ({ from, to }) => sql`select ${day} as day, count(*) as count from notable_results
      where num = ${sql.lit(num)} and state = ${sql.lit(notableCodes[state])} and at >= ${sql.lit(from)} and at < ${sql.lit(to)}
      group by ${day}`,
  )
  type Row = { readonly day: number; readonly count: number }
  const rows = yield* execute(sql.join<Row>(counts, sql` union all `) as RawBuilder<Row>)
  return new Map(rows.map((row) => [row.day * DAY_MS, row.count]))
}
