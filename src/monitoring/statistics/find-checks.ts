import { DAY_MS } from '../../lib/clock.ts'
import { all, constant, type DbWork, q, sideBySide, statement } from '../../storage/query.ts'
import { type NotableState, notableCodes } from '../checks/notable-results.ts'
import { oldestOfOpenTables, type RawState } from '../checks/raw-results.ts'
import type { StoredResult } from '../checks/result-blocks.ts'
import { checkDays, countsBetween, type DaySources, type ResultDay, resultsOfDays } from './check-days.ts'
import { countNotable, notableDays } from './notable-days.ts'
import { logOfResults, partsBetween, type TimeRange, unmovedBeforeLog } from './stored-results.ts'

export type CheckState = RawState | 'INCONCLUSIVE'

export interface CheckFilter extends TimeRange {
  readonly state: CheckState | undefined
}

export interface StoredCheck {
  readonly at: number
  readonly state: CheckState
  readonly responseMs: number | null
  readonly error: string | null
  readonly causeCode: string | null
}

export interface FoundChecks {
  readonly checks: readonly StoredCheck[]
  readonly total: number
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/**
 * A page of the stored checks of a monitor, newest first. Days are skipped by their counts, and only the days of the page are
 * read, so the cost does not grow with the offset or with what is stored.
 */
export function findChecks(num: number, filter: CheckFilter, page: Page): DbWork<FoundChecks> {
  const { state } = filter
  return state === undefined || state === 'UP'
    ? amongResults(num, filter, page)
    : amongNotable(num, filter, state, page)
}

function* amongNotable(num: number, range: TimeRange, state: NotableState, page: Page): DbWork<FoundChecks> {
  const days = yield* notableDays(num, state, range)
  const { total, start } = locate(days, page.offset)
  if (start === undefined) return { checks: [], total }
  const to = Math.min(range.to, start.day.dayAt + DAY_MS)
  const rows = yield* notableRows(num, state, { from: range.from, to }, { limit: page.limit, offset: start.skip })
  return { checks: rows, total }
}

/** The day that has the result at the offset, and how many newer results of it are skipped. */
function locate<D extends { readonly count: number }>(
  days: readonly D[],
  offset: number,
): {
  readonly total: number
  readonly start: { readonly day: D; readonly index: number; readonly skip: number } | undefined
} {
  let total = 0
  let start: { day: D; index: number; skip: number } | undefined
  for (const [index, day] of days.entries()) {
    if (start === undefined && total + day.count > offset) start = { day, index, skip: offset - total }
    total += day.count
  }
  return { total, start }
}

const notableBetween = statement(
  ({ num, state, from, to, limit, offset }: { num: number; state: number } & TimeRange & Page) =>
    q
      .selectFrom('notable_results')
      .select(['at', 'state', 'ms', 'code', 'error'])
      .where('num', '=', num)
      .where('state', '=', state)
      .where('at', '>=', from)
      .where('at', '<', to)
      .orderBy('at', 'desc')
      .limit(limit)
      .offset(offset),
)

const everything: Page = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

function* notableRows(
  num: number,
  state: NotableState,
  { from, to }: TimeRange,
  page: Page = everything,
): DbWork<readonly StoredCheck[]> {
  const rows = yield* all(notableBetween, { num, state: notableCodes[state], from, to, ...page })
  return rows.map(({ at, ms, code, error }) => ({ at, state, responseMs: ms, error, causeCode: code }))
}

function* amongResults(num: number, filter: CheckFilter, page: Page): DbWork<FoundChecks> {
  const isUp = filter.state === 'UP'
  const sources = yield* daySources(num, filter, isUp)
  const days = yield* checkDays(num, filter, isUp, sources)
  const { total, start } = locate(days, page.offset)
  if (start === undefined) return { checks: [], total }
  const needed: ResultDay[] = []
  for (let count = -start.skip, i = start.index; i < days.length && count < page.limit; i += 1) {
    const day = days[i] as ResultDay
    needed.push(day)
    count += day.count
  }
  const found: (StoredResult | StoredCheck)[] = [...(yield* resultsOfDays(num, needed, filter, isUp))]
  const [newest, oldest] = [needed[0] as ResultDay, needed.at(-1) as ResultDay]
  if (needed.some((day) => sources.inconclusive.has(day.dayAt))) {
    const range = { from: Math.max(filter.from, oldest.dayAt), to: Math.min(filter.to, newest.dayAt + DAY_MS) }
    found.push(...(yield* notableRows(num, 'INCONCLUSIVE', range)))
  }
  found.sort((a, b) => b.at - a.at)
  const checks = found
    .slice(start.skip, start.skip + page.limit)
    .map((result) => ('error' in result ? result : { ...result, error: null, causeCode: null }))
  return { checks: yield* withReasons(num, checks), total }
}

/**
 * In this order: results that are moved meanwhile are found in a part, or in both. PostgreSQL shows each statement what was
 * committed before it.
 */
function* daySources(num: number, filter: TimeRange, isUp: boolean): DbWork<DaySources> {
  const stored = () =>
    [
      partsBetween(filter),
      countsBetween(num, filter),
      isUp ? constant(new Map<number, number>()) : countNotable(num, 'INCONCLUSIVE', filter),
    ] as const
  const [log, oldest, ...its] = yield* sideBySide(logOfResults(num), oldestOfOpenTables(), ...stored())
  const older = yield* unmovedBeforeLog(num, filter.to, log, oldest)
  // What was in the open tables may have been moved since the parts were read.
  const [parts, counts, inconclusive] = older === undefined ? its : yield* sideBySide(...stored())
  return { parts, counts, inconclusive, unmoved: [...log.results, ...(older ?? [])] }
}

function* withReasons(num: number, checks: readonly StoredCheck[]): DbWork<readonly StoredCheck[]> {
  const failed = checks.filter(({ state }) => state === 'DOWN')
  if (failed.length === 0) return checks
  const range = { from: (failed.at(-1) as StoredCheck).at, to: (failed[0] as StoredCheck).at + 1 }
  const reasons = new Map((yield* notableRows(num, 'DOWN', range)).map((row) => [row.at, row]))
  return checks.map((check) => {
    if (check.state !== 'DOWN') return check
    const { error = null, causeCode = null } = reasons.get(check.at) ?? {}
    return { ...check, error, causeCode }
  })
}
