import { DAY_MS, HOUR_MS } from '../lib/clock.ts'
import { type Standing, settingsIn } from '../monitors/render.ts'
import { all, ask, first, q, statement, type Work } from '../storage/query.ts'
import { percentile } from './histogram.ts'
import { accrue, emptyTally, spentIn, sumOf, type Tally, uptimeOf } from './ledger.ts'
import { type RecentResult, readMemory, recentOf } from './memory.ts'
import { believedMs, tallyOf } from './standing.ts'

/** How a monitor fared over some time. */
export interface Fared {
  /** Up time over up and down time; null where nothing is known. */
  readonly uptime: number | null
  readonly tally: Tally
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export function faredOf(tallies: readonly Tally[]): Fared {
  const tally = sumOf(tallies)
  return {
    uptime: uptimeOf(tally),
    tally,
    p50Ms: percentile(tally.responses, 0.5),
    p95Ms: percentile(tally.responses, 0.95),
  }
}

export interface Period {
  readonly startAt: number
  readonly tally: Tally
}

/** The spans that people ask for. Up to a week is added up from hours, more from days. */
export const spans = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '365d': 365 * DAY_MS,
} as const
export type Span = keyof typeof spans

const hoursOf = statement(({ num, from }: { num: number; from: number }) =>
  q.selectFrom('rollup_hours').selectAll().where('num', '=', num).where('start_at', '>=', from).orderBy('start_at'),
)

const daysOf = statement(({ num, from }: { num: number; from: number }) =>
  q.selectFrom('rollup_days').selectAll().where('num', '=', num).where('start_at', '>=', from).orderBy('start_at'),
)

/** How a monitor fared in the span that ends now, the hour that is still running included. */
export function* fared(num: number, span: Span, now: number): Work<Fared> {
  const short = spans[span] <= 7 * DAY_MS
  const unit = short ? HOUR_MS : DAY_MS
  const from = Math.floor((now - spans[span]) / unit) * unit
  const stored = yield* all(short ? hoursOf : daysOf, { num, from })
  const open = yield* openHours(num, from, now)
  return faredOf([...stored.map(tallyOf), ...open.map(({ tally }) => tally)])
}

/** The bars of some monitors, a day each, oldest first; the day that is still running is the last one. */
export function* dayBars(
  nums: readonly number[],
  days: number,
  now: number,
): Work<ReadonlyMap<number, readonly Period[]>> {
  const from = (Math.floor(now / DAY_MS) - (days - 1)) * DAY_MS
  const rows = yield* ask(
    q
      .selectFrom('rollup_days')
      .select(['num', 'start_at', 'up_ms', 'degraded_ms', 'down_ms', 'paused_ms', 'maintenance_ms'])
      .where('num', 'in', [...nums])
      .where('start_at', '>=', from)
      .orderBy('num')
      .orderBy('start_at'),
  )
  const bars = new Map<number, Period[]>(nums.map((num) => [num, []]))
  for (const row of rows) bars.get(row.num)?.push({ startAt: row.start_at, tally: barTally(row) })
  for (const num of nums) addOpen(bars.get(num) as Period[], yield* openHours(num, from, now))
  return bars
}

function barTally(row: {
  up_ms: number
  degraded_ms: number
  down_ms: number
  paused_ms: number
  maintenance_ms: number
}): Tally {
  return {
    ...emptyTally,
    upMs: row.up_ms,
    degradedMs: row.degraded_ms,
    downMs: row.down_ms,
    pausedMs: row.paused_ms,
    maintenanceMs: row.maintenance_ms,
  }
}

/** Hours that are not in the roll-ups yet go to the days they belong to. */
function addOpen(bars: Period[], open: readonly Period[]): void {
  for (const { startAt, tally } of open) {
    const day = Math.floor(startAt / DAY_MS) * DAY_MS
    const last = bars.at(-1)
    if (last?.startAt === day) bars[bars.length - 1] = { startAt: day, tally: sumOf([last.tally, tally]) }
    else bars.push({ startAt: day, tally })
  }
}

const working = statement(({ num }: { num: number }) =>
  q
    .selectFrom('monitor_states as s')
    .innerJoin('monitors as m', 'm.num', 's.num')
    .select(['s.state', 's.memory', 'm.shown'])
    .where('s.num', '=', num),
)

/** What has happened since the last hour was closed, from `from` on: told up to this moment, without writing it. */
function* openHours(num: number, from: number, now: number): Work<readonly Period[]> {
  const row = yield* first(working, { num })
  if (row === undefined) return []
  const { ledger } = readMemory(row.memory, now)
  const state = row.state as Standing['state']
  const believed = state === 'PAUSED' ? Number.POSITIVE_INFINITY : believedMs(settingsIn(row.shown))
  const told = accrue(ledger, now, spentIn(state, false), believed)
  const closed = told.closed.map(({ hour, tally }) => ({ startAt: hour, tally }))
  const periods = [...closed, { startAt: told.ledger.hour, tally: told.ledger.tally }]
  return periods.filter(({ startAt }) => startAt >= from)
}

/** A monitor's latest results, newest first. */
export function* recentResults(num: number, now: number): Work<readonly RecentResult[]> {
  const row = yield* first(working, { num })
  return row === undefined ? [] : recentOf(readMemory(row.memory, now))
}
