import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import type { Reason } from '../../reasons/reason.ts'
import { listPage } from '../../storage/list-index.ts'
import { type DbRead, type DbWork, execute, q, sideBySide } from '../../storage/query.ts'
import { readMemory } from '../monitor-states/memory.ts'
import { dayOf, pendingResults, type ResultState, resultsIn, type StoredResult } from '../monitor-states/result-log.ts'
import { type CheckEvidence, evidenceIn, reasonsAt } from './reasons.ts'

export interface CheckFilter {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly state: ResultState | undefined
}

export interface StoredCheck extends StoredResult, CheckEvidence {
  readonly error: Reason | null
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

interface Day {
  readonly dayAt: number
  readonly count: number
}

/**
 * A page of the stored checks of a monitor, newest first, from one snapshot. Days are skipped by the counts of their blocks, and
 * only the blocks of the page are decoded.
 */
export function* findChecks(num: number, filter: CheckFilter, page: Page): DbWork<FoundChecks> {
  const [pending, counted] = yield* sideBySide(pendingOf(num), countsByDay(num, filter))
  const edges = yield* readDays(
    num,
    filter,
    counted.map(({ dayAt }) => dayAt).filter((dayAt) => !isWithin(dayAt, filter)),
  )
  const read = Map.groupBy([...pending, ...edges].filter(matching(filter)), ({ at }) => dayOf(at))
  const days = daysOf(
    counted.filter(({ dayAt }) => isWithin(dayAt, filter)),
    read,
  )
  const total = days.reduce((sum, { count }) => sum + count, 0)
  const { needed, skip } = daysOfPage(days, page)
  const stored = yield* readDays(
    num,
    filter,
    needed.filter((dayAt) => isWithin(dayAt, filter)),
  )
  const results = [...stored.filter(matching(filter)), ...needed.flatMap((dayAt) => read.get(dayAt) ?? [])]
  results.sort((a, b) => b.at - a.at)
  return { checks: yield* withReasons(num, results.slice(skip, skip + page.limit)), total }
}

/** The same of checks that were UP after a failed try. The rows of their reasons have all that is listed. */
export function* findRepairedChecks(num: number, { from, to, state }: CheckFilter, page: Page): DbWork<FoundChecks> {
  if ((state ?? 'UP') !== 'UP') return { checks: [], total: 0 }
  const repaired = q
    .selectFrom('check_reasons')
    .select(['at', 'evidence'])
    .where('num', '=', num)
    .where('repaired', '=', sql.lit(1))
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at', 'desc')
  const { rows, total } = yield* listPage(repaired, page)
  const checks = rows.map(({ at, evidence }): StoredCheck => {
    const { responseMs }: { responseMs: number | null } = parseStored(evidence as string)
    return { at, state: 'UP', responseMs, error: null, causeCode: null, ...evidenceIn(evidence) }
  })
  return { checks, total }
}

function* pendingOf(num: number): DbRead<readonly StoredResult[]> {
  const [row] = yield* execute(q.selectFrom('monitor_states').select('memory').where('num', '=', num))
  return row === undefined ? [] : pendingResults(readMemory(row.memory, 0).results)
}

/** SQL: the day of a block. */
const dayNumber = sql<number>`first_at / ${sql.lit(DAY_MS)}`

/** SQL: how many results of the state a block has. */
function countOf(state: ResultState | undefined) {
  if (state === undefined) return sql<number>`(up + degraded + down + inconclusive)`
  return sql.ref<number>(state.toLowerCase())
}

/** A block has results of one day, so the blocks of the day of `from` may have some before it. */
function* countsByDay(num: number, { from, to, state }: CheckFilter): DbRead<readonly Day[]> {
  const rows = yield* execute(
    q
      .selectFrom('result_blocks')
      .select([dayNumber.as('day'), sql<number>`cast(sum(${countOf(state)}) as bigint)`.as('count')])
      .where('num', '=', num)
      .where('first_at', '>=', dayOf(from))
      .where('first_at', '<', to)
      .groupBy(dayNumber),
  )
  return rows.map((row) => ({ dayAt: row.day * DAY_MS, count: row.count }))
}

/** The results of these days, from blocks that have the state. */
function* readDays(num: number, { state }: CheckFilter, days: readonly number[]): DbWork<readonly StoredResult[]> {
  if (days.length === 0) return []
  const rows = yield* execute(
    q
      .selectFrom('result_blocks')
      .select(['first_at', 'results'])
      .where('num', '=', num)
      .where('first_at', '>=', Math.min(...days))
      .where('first_at', '<', Math.max(...days) + DAY_MS)
      .where(
        dayNumber,
        'in',
        days.map((dayAt) => dayAt / DAY_MS),
      )
      .where(countOf(state), '>', 0),
  )
  return rows.flatMap(({ first_at: firstAt, results }) => resultsIn({ firstAt, results }))
}

/** Whether the range has the whole day. */
function isWithin(dayAt: number, { from, to }: CheckFilter): boolean {
  return dayAt >= from && dayAt + DAY_MS <= to
}

function matching({ from, to, state }: CheckFilter): (result: StoredResult) => boolean {
  return (result) => result.at >= from && result.at < to && (state === undefined || result.state === state)
}

/** The days that have results, newest first. */
function daysOf(counted: readonly Day[], read: ReadonlyMap<number, readonly StoredResult[]>): readonly Day[] {
  const counts = new Map(counted.map(({ dayAt, count }) => [dayAt, count]))
  for (const [dayAt, results] of read) counts.set(dayAt, (counts.get(dayAt) ?? 0) + results.length)
  return [...counts]
    .map(([dayAt, count]) => ({ dayAt, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.dayAt - a.dayAt)
}

/** The days of a page, and how many newer results of the first one are skipped. */
function daysOfPage(days: readonly Day[], { limit, offset }: Page): { needed: readonly number[]; skip: number } {
  const needed: number[] = []
  let skip = 0
  let before = 0
  for (const { dayAt, count } of days) {
    if (before >= offset + limit) break
    if (before + count > offset) {
      if (needed.length === 0) skip = offset - before
      needed.push(dayAt)
    }
    before += count
  }
  return { needed, skip }
}

function* withReasons(num: number, results: readonly StoredResult[]): DbWork<readonly StoredCheck[]> {
  // A check that is UP has a row too if its first try failed.
  const reasons = yield* reasonsAt(
    num,
    results.map(({ at }) => at),
  )
  return results.map((result) => {
    const { error = null, code = null, evidence } = reasons.get(result.at) ?? {}
    return { ...result, error, causeCode: code, ...evidence }
  })
}
