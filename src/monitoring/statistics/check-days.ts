import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { all, type DbWork, q, statement } from '../../storage/query.ts'
import { FEW_UP } from '../checks/copy-few-up.ts'
import type { StoredResult } from '../checks/result-blocks.ts'
import { dayOf } from '../checks/result-parts.ts'
import { resultsOfSparseDays } from './sparse-days.ts'
import { type PartRead, type PartResults, resultsInParts, type StoredPart, type TimeRange } from './stored-results.ts'

/** A day of a monitor, with the number of its results; inconclusive checks are included. */
export interface ResultDay {
  readonly dayAt: number
  readonly count: number
  /** What to read. Undefined if the results had to be read to be counted. */
  readonly reads: readonly PartRead[] | undefined
  /** The results, if they are known. */
  readonly results: readonly StoredResult[]
  /** How many results are in parts, if they are so few that each has a row. */
  readonly fewResults?: number
}

interface Counts {
  readonly day_at: number
  readonly keep_days: number
  readonly up: number
  readonly degraded: number
  readonly down: number
  readonly up_hours: number
}

const countsWithin = statement(({ num, from, to }: { num: number } & TimeRange) =>
  q
    .selectFrom('result_counts')
    .select(['day_at', 'keep_days', 'up', 'degraded', 'down', 'up_hours'])
    .where('num', '=', num)
    .where('day_at', '>=', from)
    .where('day_at', '<', to),
)

/** The counts of days that begin within the range. */
export function countsBetween(num: number, { from, to }: TimeRange): DbWork<readonly Counts[]> {
  return all(countsWithin, { num, from, to })
}

/** Whether the range has the whole day. */
export function isWithin(dayAt: number, { from, to }: TimeRange): boolean {
  return dayAt >= from && dayAt + DAY_MS <= to
}

/** What the days of a monitor are found from. */
export interface DaySources {
  readonly parts: readonly StoredPart[]
  readonly counts: readonly Counts[]
  /** Results that may not be in a part yet. */
  readonly unmoved: readonly StoredResult[]
  /** Inconclusive checks by day. */
  readonly inconclusive: ReadonlyMap<number, number>
}

/**
 * The days that have results of a monitor, newest first. Days that are over are counted already. The results of the current day
 * and of days at the edges of the range are read.
 */
export function* checkDays(
  num: number,
  range: TimeRange,
  onlyUp: boolean,
  { inconclusive, ...sources }: DaySources,
): DbWork<readonly ResultDay[]> {
  const parts = Map.groupBy(sources.parts, (part) => part.day_at)
  const counts = new Map(sources.counts.map((row) => [`${row.day_at} ${row.keep_days}`, row]))
  const unmoved = Map.groupBy(sources.unmoved, ({ at }) => dayOf(at))
  const dayTimes = [...new Set([...parts.keys(), ...unmoved.keys(), ...inconclusive.keys()])].sort((a, b) => b - a)
  const counted = new Map(dayTimes.map((dayAt) => [dayAt, countedIn(parts.get(dayAt) ?? [], counts)]))
  const moved = yield* movedDays(num, dayTimes, unmoved, counted)
  const days: ResultDay[] = []
  const uncounted = new Map<number, readonly StoredPart[]>()
  for (const dayAt of dayTimes) {
    const its = counted.get(dayAt)
    // A result that is not moved yet is not counted.
    const isCounted = !unmoved.has(dayAt) || moved.has(dayAt)
    if (its === undefined || !isCounted || !isWithin(dayAt, range)) uncounted.set(dayAt, parts.get(dayAt) ?? [])
    else days.push(countedDay(dayAt, its, onlyUp, inconclusive.get(dayAt) ?? 0))
  }
  const stored = yield* readDays(num, uncounted, range)
  for (const dayAt of uncounted.keys()) {
    const inParts = stored.filter((read) => read.dayAt === dayAt).flatMap(({ results }) => results)
    const found = [...inParts, ...(unmoved.get(dayAt) ?? [])]
    const results = withoutRepeated(found.filter((result) => isListed(result, range, onlyUp)))
    const count = results.length + (inconclusive.get(dayAt) ?? 0)
    days.push({ dayAt, count, reads: undefined, results })
  }
  return days.filter(({ count }) => count > 0).sort((a, b) => b.dayAt - a.dayAt)
}

interface CountedPart {
  readonly part: StoredPart
  readonly row: Counts
}

/** The parts of a day that have results of the monitor. Undefined if a part is not counted yet. */
function countedIn(
  parts: readonly StoredPart[],
  counts: ReadonlyMap<string, Counts>,
): readonly CountedPart[] | undefined {
  if (parts.some((part) => part.counted_at === null)) return undefined
  return parts.flatMap((part) => {
    const row = counts.get(`${part.day_at} ${part.keep_days}`)
    return row === undefined ? [] : [{ part, row }]
  })
}

function countedDay(dayAt: number, its: readonly CountedPart[], onlyUp: boolean, inconclusive: number): ResultDay {
  const number = numberIn(its, onlyUp)
  const reads = its.filter((each) => numberIn([each], onlyUp) > 0).map(({ part, row }) => readOf(part, row, onlyUp))
  const few = isFew(number) ? { fewResults: number } : {}
  return { dayAt, count: number + inconclusive, reads, results: [], ...few }
}

/**
 * Counted days with results that are in the log too, and in parts for certain, because they have rows. The log of a monitor that is
 * checked once a day reaches back for months; else all these parts would be read.
 */
function* movedDays(
  num: number,
  dayTimes: readonly number[],
  unmoved: ReadonlyMap<number, readonly StoredResult[]>,
  counted: ReadonlyMap<number, readonly CountedPart[] | undefined>,
): DbWork<ReadonlySet<number>> {
  const days = dayTimes.map((dayAt) => {
    const number = unmoved.has(dayAt) ? numberIn(counted.get(dayAt) ?? [], false) : 0
    return { dayAt, ...(isFew(number) && { fewResults: number }) }
  })
  const rows = yield* resultsOfSparseDays(num, days, false)
  const moved = [...rows].filter(([dayAt, results]) => {
    const times = new Set(results.map(({ at }) => at))
    return unmoved.get(dayAt)?.every(({ at }) => times.has(at))
  })
  return new Set(moved.map(([dayAt]) => dayAt))
}

function isFew(number: number): boolean {
  return number > 0 && number <= FEW_UP
}

function isListed({ at, state }: StoredResult, { from, to }: TimeRange, onlyUp: boolean): boolean {
  return at >= from && at < to && (!onlyUp || state === 'UP')
}

/** While an open table is moved, a result is in two places. Of results with the same time the last one stays. */
function withoutRepeated(results: readonly StoredResult[]): readonly StoredResult[] {
  const sorted = results.toSorted((a, b) => a.at - b.at)
  return sorted.filter(({ at }, i) => at !== sorted[i + 1]?.at)
}

function numberIn(its: readonly CountedPart[], onlyUp: boolean): number {
  return its.reduce((sum, { row: { up, degraded, down } }) => sum + (onlyUp ? up : up + degraded + down), 0)
}

/** If only some hours have results UP, only they are read. */
function readOf(part: StoredPart, { up_hours: bits }: Counts, onlyUp: boolean): PartRead {
  const dayAt = part.day_at
  if (!onlyUp) return { part, onlyUp, from: dayAt, to: dayAt + DAY_MS }
  const firstHour = 31 - Math.clz32(bits & -bits)
  const lastHour = 31 - Math.clz32(bits)
  return { part, onlyUp, from: dayAt + firstHour * HOUR_MS, to: dayAt + (lastHour + 1) * HOUR_MS }
}

function* readDays(
  num: number,
  days: ReadonlyMap<number, readonly StoredPart[]>,
  range: TimeRange,
): DbWork<readonly PartResults[]> {
  const reads = [...days.values()].flat().map((part) => {
    const to = Math.min(part.day_at + DAY_MS, range.to)
    return { part, onlyUp: false, from: part.day_at, to }
  })
  return yield* resultsInParts(num, reads)
}

/** The results of these days, in no particular order. */
export function* resultsOfDays(
  num: number,
  days: readonly ResultDay[],
  range: TimeRange,
  onlyUp: boolean,
): DbWork<readonly StoredResult[]> {
  const sparse = yield* resultsOfSparseDays(num, days, onlyUp)
  const known = days.flatMap(({ dayAt, results }) => sparse.get(dayAt) ?? results)
  const read = yield* resultsInParts(
    num,
    days.flatMap(({ dayAt, reads = [] }) => (sparse.has(dayAt) ? [] : reads)),
  )
  const listed = read.flatMap(({ results }) => results.filter((result) => isListed(result, range, onlyUp)))
  return [...known, ...listed]
}
