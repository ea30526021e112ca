import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { all, type DbWork, q, sideBySide, statement } from '../../storage/query.ts'
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
  let counted: ReadonlySet<number> = new Set()
  if (state !== 'INCONCLUSIVE') {
    const [parts, counts] = yield* sideBySide(partsBetween(range), countsBetween(num, range))
    counted = countedDays(parts, range)
    for (const { day_at: dayAt, down, degraded } of counts) {
      if (counted.has(dayAt)) days.set(dayAt, (days.get(dayAt) ?? 0) + (state === 'DOWN' ? down : degraded))
    }
  }
  const others = rangesBetween(counted, range).map((each) => countNotable(num, state, each))
  for (const counts of yield* sideBySide(...others)) {
    for (const [dayAt, count] of counts) days.set(dayAt, count)
  }
  return [...days]
    .map(([dayAt, count]) => ({ dayAt, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.dayAt - a.dayAt)
}

/** The days of the range whose results are counted in all of their parts. */
function countedDays(stored: readonly StoredPart[], range: TimeRange): ReadonlySet<number> {
  const parts = Map.groupBy(stored, (part) => part.day_at)
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

const day = sql<number>`cast(at / ${sql.lit(DAY_MS)} as bigint)`

const countsByDay = statement(({ num, state, from, to }: { num: number; state: number } & TimeRange) =>
  q
    .selectFrom('notable_results')
    .select([day.as('day'), ({ fn }) => fn.countAll<number>().as('count')])
    .where('num', '=', num)
    .where('state', '=', state)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(day),
)

/** Results of this state by day. */
export function* countNotable(
  num: number,
  state: NotableState,
  { from, to }: TimeRange,
): DbWork<ReadonlyMap<number, number>> {
  const rows = yield* all(countsByDay, { num, state: notableCodes[state], from, to })
  return new Map(rows.map((row) => [row.day * DAY_MS, row.count]))
}
