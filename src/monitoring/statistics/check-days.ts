import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { StoredResult } from '../checks/result-blocks.ts'
import { dayOf } from '../checks/result-parts.ts'
import { type PartRead, resultsInParts, type StoredPart, type TimeRange } from './stored-results.ts'

/** A day of a monitor, with the number of its results; inconclusive checks are included. */
export interface ResultDay {
  readonly dayAt: number
  readonly count: number
  /** What to read. Undefined if the results had to be read to be counted. */
  readonly reads: readonly PartRead[] | undefined
  /** The results, if they are known. */
  readonly results: readonly StoredResult[]
}

interface Counts {
  readonly day_at: number
  readonly keep_days: number
  readonly up: number
  readonly degraded: number
  readonly down: number
  readonly up_hours: number
}

/** The counts of days that begin within the range. */
export function countsBetween(num: number, { from, to }: TimeRange): DbWork<readonly Counts[]> {
  return execute(
    q
      .selectFrom('result_counts')
      .select(['day_at', 'keep_days', 'up', 'degraded', 'down', 'up_hours'])
      .where('num', '=', num)
      .where('day_at', '>=', from)
      .where('day_at', '<', to),
  )
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
  const days: ResultDay[] = []
  const uncounted = new Map<number, readonly StoredPart[]>()
  for (const dayAt of new Set([...parts.keys(), ...unmoved.keys(), ...inconclusive.keys()])) {
    const its = parts.get(dayAt) ?? []
    // A result that is not moved yet is not counted. The log has a few dozen, so these are few days, or have few results.
    const isCounted = its.every((part) => part.counted_at !== null) && !unmoved.has(dayAt)
    if (!isCounted || !isWithin(dayAt, range)) uncounted.set(dayAt, its)
    else {
      const found = its.flatMap((part) => {
        const row = counts.get(`${dayAt} ${part.keep_days}`)
        return row === undefined ? [] : [{ part, row }]
      })
      const count = found.reduce((sum, { row }) => sum + numberIn(row, onlyUp), inconclusive.get(dayAt) ?? 0)
      const reads = found
        .filter(({ row }) => numberIn(row, onlyUp) > 0)
        .map(({ part, row }) => readOf(part, row, onlyUp))
      days.push({ dayAt, count, reads, results: [] })
    }
  }
  const stored = yield* readDays(num, uncounted, range)
  for (const dayAt of uncounted.keys()) {
    // By time: while an open table is moved, a result is in two places.
    const results = new Map<number, StoredResult>()
    for (const { at, state, responseMs } of [...(stored.get(dayAt) ?? []), ...(unmoved.get(dayAt) ?? [])]) {
      const isListed = at >= range.from && at < range.to && (!onlyUp || state === 'UP')
      if (isListed) results.set(at, { at, state, responseMs })
    }
    const count = results.size + (inconclusive.get(dayAt) ?? 0)
    days.push({ dayAt, count, reads: undefined, results: [...results.values()] })
  }
  return days.filter(({ count }) => count > 0).sort((a, b) => b.dayAt - a.dayAt)
}

function numberIn({ up, degraded, down }: Counts, onlyUp: boolean): number {
  return onlyUp ? up : up + degraded + down
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
): DbWork<ReadonlyMap<number, readonly StoredResult[]>> {
  const reads = [...days.values()].flat().map((part) => {
    const to = Math.min(part.day_at + DAY_MS, range.to)
    return { part, onlyUp: false, from: part.day_at, to }
  })
  return Map.groupBy(yield* resultsInParts(num, reads), ({ at }) => dayOf(at))
}

/** The results of these days, in no particular order. */
export function* resultsOfDays(
  num: number,
  days: readonly ResultDay[],
  range: TimeRange,
  onlyUp: boolean,
): DbWork<readonly StoredResult[]> {
  const read = yield* resultsInParts(
    num,
    days.flatMap(({ reads = [] }) => reads),
  )
  const listed = read.filter(({ at, state }) => at >= range.from && at < range.to && (!onlyUp || state === 'UP'))
  return [...days.flatMap(({ results }) => results), ...listed]
}
