import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q, sideBySide } from '../../storage/query.ts'
import { type NotableState, notableCodes } from '../checks/notable-results.ts'
import type { RawState } from '../checks/raw-results.ts'
import { checkDays, countsBetween, type ResultDay, resultsOfDays } from './check-days.ts'
import { countNotable, notableDays } from './notable-days.ts'
import { partsBetween, type TimeRange, unmovedResults } from './stored-results.ts'

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
  const rows = yield* notableRows(num, [state], { from: range.from, to }, { limit: page.limit, offset: start.skip })
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

const statesByCode = new Map<number, NotableState>(
  Object.entries(notableCodes).map(([state, code]) => [code, state as NotableState]),
)

function* notableRows(
  num: number,
  states: readonly NotableState[],
  { from, to }: TimeRange,
  page?: Page,
): DbWork<readonly StoredCheck[]> {
  const matching = q
    .selectFrom('notable_results')
    .select(['at', 'state', 'ms', 'code', 'error'])
    .where('num', '=', num)
    .where(
      'state',
      'in',
      states.map((state) => notableCodes[state]),
    )
    .where('at', '>=', from)
    .where('at', '<', to)
  const rows = yield* execute(
    page === undefined ? matching : matching.orderBy('at', 'desc').limit(page.limit).offset(page.offset),
  )
  return rows.map(({ at, state, ms, code, error }) => {
    return { at, state: statesByCode.get(state) as NotableState, responseMs: ms, error, causeCode: code }
  })
}

function* amongResults(num: number, filter: CheckFilter, page: Page): DbWork<FoundChecks> {
  const isUp = filter.state === 'UP'
  // First: results that are moved meanwhile are then found in a part, or in both.
  const unmoved = yield* unmovedResults(num, filter.to)
  const [parts, counts, inconclusive] = yield* sideBySide(
    partsBetween(filter),
    countsBetween(num, filter),
    countNotable(num, 'INCONCLUSIVE', isUp ? [] : [filter]),
  )
  const days = yield* checkDays(num, filter, isUp, { parts, counts, unmoved, inconclusive })
  const { total, start } = locate(days, page.offset)
  if (start === undefined) return { checks: [], total }
  const needed: ResultDay[] = []
  for (let count = -start.skip, i = start.index; i < days.length && count < page.limit; i += 1) {
    const day = days[i] as ResultDay
    needed.push(day)
    count += day.count
  }
  const results = yield* resultsOfDays(num, needed, filter, isUp)
  const checks: StoredCheck[] = results.map((result) => ({ ...result, error: null, causeCode: null }))
  const [newest, oldest] = [needed[0] as ResultDay, needed.at(-1) as ResultDay]
  if (needed.some((day) => inconclusive.has(day.dayAt))) {
    const range = { from: Math.max(filter.from, oldest.dayAt), to: Math.min(filter.to, newest.dayAt + DAY_MS) }
    checks.push(...(yield* notableRows(num, ['INCONCLUSIVE'], range)))
  }
  checks.sort((a, b) => b.at - a.at)
  return { checks: yield* withReasons(num, checks.slice(start.skip, start.skip + page.limit)), total }
}

function* withReasons(num: number, checks: readonly StoredCheck[]): DbWork<readonly StoredCheck[]> {
  const failed = checks.filter(({ state }) => state === 'DOWN')
  if (failed.length === 0) return checks
  const range = { from: (failed.at(-1) as StoredCheck).at, to: (failed[0] as StoredCheck).at + 1 }
  const reasons = new Map((yield* notableRows(num, ['DOWN'], range)).map((row) => [row.at, row]))
  return checks.map((check) => {
    if (check.state !== 'DOWN') return check
    const { error = null, causeCode = null } = reasons.get(check.at) ?? {}
    return { ...check, error, causeCode }
  })
}
