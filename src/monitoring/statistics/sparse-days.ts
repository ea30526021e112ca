import { DAY_MS } from '../../lib/clock.ts'
import { all, type DbWork, q, sideBySide, statement } from '../../storage/query.ts'
import { stateCodes, stateOfCode } from '../checks/raw-results.ts'
import type { StoredResult } from '../checks/result-blocks.ts'
import { dayOf } from '../checks/result-parts.ts'
import type { TimeRange } from './stored-results.ts'

/** A day of a monitor. */
interface Day {
  readonly dayAt: number
  /** The number of results, if they are so few that each has a row (checks/copy-few-up.ts). */
  readonly fewResults?: number
}

type Values = { readonly num: number } & TimeRange

const rowsBetween = ({ num, from, to }: Values) =>
  q
    .selectFrom('notable_results')
    .select(['at', 'state', 'ms'])
    .where('num', '=', num)
    .where('at', '>=', from)
    .where('at', '<', to)

const upBetween = statement((values: Values) => rowsBetween(values).where('state', '=', stateCodes.UP))
const anyBetween = statement((values: Values) => rowsBetween(values).where('state', 'in', Object.values(stateCodes)))

/**
 * The results of days with few, by day, from their rows. A day is missing if its rows are not complete, because an earlier version
 * has counted it.
 */
export function* resultsOfSparseDays(
  num: number,
  days: readonly Day[],
  onlyUp: boolean,
): DbWork<ReadonlyMap<number, readonly StoredResult[]>> {
  const reads = rangesOf(days).map(({ from, to }) => all(onlyUp ? upBetween : anyBetween, { num, from, to }))
  const rows = (yield* sideBySide(...reads)).flat()
  const found = Map.groupBy(
    rows.map(({ at, state, ms }): StoredResult => ({ at, state: stateOfCode(state), responseMs: ms })),
    ({ at }) => dayOf(at),
  )
  const complete = days.flatMap(({ dayAt, fewResults }) => {
    const results = found.get(dayAt) ?? []
    return results.length === fewResults ? [[dayAt, results] as const] : []
  })
  return new Map(complete)
}

/** Ranges that have only days with few results. The days are in order, newest first. */
function rangesOf(days: readonly Day[]): readonly TimeRange[] {
  const ranges: { from: number; readonly to: number }[] = []
  let isContinued = false
  for (const { dayAt, fewResults } of days) {
    const range = isContinued ? ranges.at(-1) : undefined
    isContinued = fewResults !== undefined
    if (range !== undefined && isContinued) range.from = dayAt
    else if (isContinued) ranges.push({ from: dayAt, to: dayAt + DAY_MS })
  }
  return ranges
}
