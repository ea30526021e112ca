import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { percentile, readHistogram } from '../../../monitoring/monitor-states/histogram.ts'
import type { Period } from '../../../monitoring/uptime/read-periods.ts'
import { type DbWork, execute, q } from '../../../storage/query.ts'

/** The response times of an hour or a day. */
export interface ResponsePoint {
  readonly startAt: number
  readonly p50Ms: number
  readonly p95Ms: number
}

/** Response times over time, for a chart. Hours or days without responses have no point. */
export interface ResponseSeries {
  readonly stepMs: number
  /** Start of the first step that the chart shows. */
  readonly from: number
  readonly steps: number
  /** Oldest first. */
  readonly points: readonly ResponsePoint[]
}

/** A chart of `steps` hours or days that ends now. */
export function responseSeries(periods: readonly Period[], stepMs: number, steps: number, now: number): ResponseSeries {
  const from = (Math.floor(now / stepMs) - steps + 1) * stepMs
  const points = periods.flatMap(({ startAt, totals: { responses } }): ResponsePoint[] => {
    const [p50Ms, p95Ms] = [percentile(responses, 0.5), percentile(responses, 0.95)]
    return startAt < from || p50Ms === null || p95Ms === null ? [] : [{ startAt, p50Ms, p95Ms }]
  })
  return { stepMs, from, steps, points }
}

/** The median of each of the last HOURS hours, oldest first; null for an hour without responses. */
export type HourlyMedians = readonly (number | null)[]

const HOURS = DAY_MS / HOUR_MS

interface CachedMedians {
  readonly at: number
  readonly medians: ReadonlyMap<number, HourlyMedians>
}

/** Finished hours do not change, and reading 24 histograms per monitor would cost more than the rest of the page. */
const KEPT_MS = 5 * MINUTE_MS
const MAX_CACHED_PAGES = 200
const cache = new Map<string, CachedMedians>()

/** The hourly medians of the monitors of a page, by the number of the monitor. Up to KEPT_MS old. */
export function* hourlyMediansOn(
  pageId: string,
  nums: readonly number[],
  now: number,
): DbWork<ReadonlyMap<number, HourlyMedians>> {
  const known = cache.get(pageId)
  const isFresh = known !== undefined && now >= known.at && now < known.at + KEPT_MS
  if (isFresh && nums.every((num) => known.medians.has(num))) return known.medians
  const medians = yield* readMedians(nums, now)
  if (cache.size >= MAX_CACHED_PAGES) cache.clear()
  cache.set(pageId, { at: now, medians })
  return medians
}

function* readMedians(nums: readonly number[], now: number): DbWork<ReadonlyMap<number, HourlyMedians>> {
  const from = (Math.floor(now / HOUR_MS) - HOURS) * HOUR_MS
  const medians = new Map(nums.map((num) => [num, new Array<number | null>(HOURS).fill(null)]))
  if (nums.length === 0) return medians
  const rows = yield* execute(
    q
      .selectFrom('rollup_hours')
      .select(['num', 'start_at', 'responses'])
      .where('num', 'in', [...nums])
      .where('start_at', '>=', from)
      .where('start_at', '<', from + DAY_MS),
  )
  for (const { num, start_at: startAt, responses } of rows) {
    const ofMonitor = medians.get(num)
    if (ofMonitor !== undefined) ofMonitor[(startAt - from) / HOUR_MS] = percentile(readHistogram(responses), 0.5)
  }
  return medians
}
