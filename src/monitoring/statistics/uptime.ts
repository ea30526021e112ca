import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { all, type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import { settingsIn } from '../monitor-settings/stored.ts'
import { percentile } from '../monitor-states/histogram.ts'
import { accrue, spentIn, sumOf, type Tally, uptimeOf } from '../monitor-states/ledger.ts'
import { coveredByMaintenance } from '../monitor-states/maintenance.ts'
import { readMemory } from '../monitor-states/memory.ts'
import { type RecentResult, readLog } from '../monitor-states/recent-log.ts'
import { tallyOf } from '../monitor-states/rollups.ts'
import { believedMs } from '../monitor-states/save.ts'

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
export function* fared(num: number, span: Span, now: number): DbWork<Fared> {
  const short = spans[span] <= 7 * DAY_MS
  const unit = short ? HOUR_MS : DAY_MS
  const from = Math.floor((now - spans[span]) / unit) * unit
  const stored = yield* all(short ? hoursOf : daysOf, { num, from })
  const open = (yield* openHours([num], from, now)).get(num) ?? []
  return faredOf([...stored.map(tallyOf), ...open.map(({ tally }) => tally)])
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

function workingOf(nums: readonly number[]) {
  return q
    .selectFrom('monitor_states as s')
    .innerJoin('monitors as m', 'm.num', 's.num')
    .select(['s.num', 's.org_id', 's.state', 's.memory', 'm.shown'])
    .where('s.num', 'in', [...nums])
}

/** What has happened since the last hour was closed, from `from` on: told up to this moment, without writing it. */
function* openHours(
  nums: readonly number[],
  from: number,
  now: number,
): DbWork<ReadonlyMap<number, readonly Period[]>> {
  const rows = yield* execute(workingOf(nums))
  const accounts = rows.map((row) => ({ ...row, orgId: row.org_id, memory: readMemory(row.memory, now), at: now }))
  const covered = yield* coveredByMaintenance(accounts)
  return new Map(
    accounts.map(({ num, orgId, memory, state, shown }) => {
      const believed = state === 'PAUSED' ? Number.POSITIVE_INFINITY : believedMs(settingsIn(shown))
      const told = accrue(memory.ledger, now, spentIn(state, false), believed, covered(orgId, num))
      const closed = told.closed.map(({ hour, tally }) => ({ startAt: hour, tally }))
      const periods = [...closed, { startAt: told.ledger.hour, tally: told.ledger.tally }]
      return [num, periods.filter(({ startAt }) => startAt >= from)]
    }),
  )
}

const logOf = statement(({ num }: { num: number }) =>
  q.selectFrom('monitor_states').select('recent').where('num', '=', num),
)

/** A monitor's latest results, newest first. */
export function* recentResults(num: number): DbWork<readonly RecentResult[]> {
  return readLog((yield* first(logOf, { num }))?.recent ?? '')
}

/** A span of some monitors hour by hour, or over more than a week day by day, oldest first; what is running is the last. */
export function* series(
  nums: readonly number[],
  span: Span,
  now: number,
): DbWork<ReadonlyMap<number, readonly Period[]>> {
  const isShort = spans[span] <= 7 * DAY_MS
  const unit = isShort ? HOUR_MS : DAY_MS
  const from = Math.floor((now - spans[span]) / unit) * unit + unit
  const found = new Map<number, Period[]>(nums.map((num) => [num, []]))
  if (nums.length === 0) return found
  const rows = yield* execute(
    q
      .selectFrom(isShort ? 'rollup_hours' : 'rollup_days')
      .selectAll()
      .where('num', 'in', [...nums])
      .where('start_at', '>=', from)
      .orderBy('num')
      .orderBy('start_at'),
  )
  for (const row of rows) found.get(row.num)?.push({ startAt: row.start_at, tally: tallyOf(row) })
  for (const [num, open] of yield* openHours(nums, from, now)) {
    const periods = found.get(num) as Period[]
    if (isShort) periods.push(...open)
    else addOpen(periods, open)
  }
  return found
}
