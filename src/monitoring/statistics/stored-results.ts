import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import { OPEN_TABLES, oldestOfOpenTables, stateCodes, stateOfCode } from '../checks/raw-results.ts'
import { resultsIn, type StoredResult } from '../checks/result-blocks.ts'
import { type ResultPart, timeColumn } from '../checks/result-parts.ts'
import { readMemory } from '../monitor-states/memory.ts'
import { LOG_CHARACTERS, type RecentResult, readLog } from '../monitor-states/recent-log.ts'

export interface TimeRange {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export interface StoredPart extends ResultPart {
  /** When its results were counted; null if they are not counted yet. */
  readonly counted_at: number | null
}

/** The parts that may have results of this time, newest first. */
export function partsBetween({ from, to }: TimeRange): DbWork<readonly StoredPart[]> {
  return execute(
    q
      .selectFrom('result_parts')
      .select(['name', 'kind', 'day_at', 'keep_days', 'counted_at'])
      .where('indexed_at', 'is not', null)
      .where('day_at', '<', to)
      .where('day_at', '>', Math.max(0, from - DAY_MS))
      .orderBy('day_at', 'desc'),
  )
}

const logOf = statement(({ num }: { num: number }) =>
  q.selectFrom('monitor_states').select(['recent_results', 'memory']).where('num', '=', num),
)

function* logOfResults(num: number): DbWork<{ results: readonly RecentResult[]; isComplete: boolean }> {
  const row = yield* first(logOf, { num })
  if (row === undefined) return { results: [], isComplete: false }
  const results = readLog(readMemory(row.memory, 0).newLines + row.recent_results)
  // A log that was cut off has its full length.
  return { results, isComplete: row.recent_results.length < LOG_CHARACTERS }
}

/** Rows of an open table are almost in order of time. */
const DISORDER_MS = 60_000

/**
 * The results of a monitor before `to` that may not be in a part yet. Its log has them, so the open tables, which have no index, are read
 * only if they have results that are older than the log.
 */
export function* unmovedResults(num: number, to: number): DbWork<readonly StoredResult[]> {
  const { results, isComplete } = yield* logOfResults(num)
  if (isComplete) return results
  const until = Math.min(to, results.at(-1)?.at ?? to)
  const older: StoredResult[] = []
  for (const [i, oldest] of (yield* oldestOfOpenTables()).entries()) {
    if (oldest === null || oldest > until + DISORDER_MS) continue
    const rows = yield* execute(
      q
        .selectFrom(OPEN_TABLES[i] as (typeof OPEN_TABLES)[number])
        .select(['at', 'state', 'ms'])
        .where('num', '=', num)
        .where('at', '<', until),
    )
    for (const { at, state, ms } of rows) older.push({ at, state: stateOfCode(state), responseMs: ms })
  }
  return [...results, ...older]
}

/** What to read of a part. Blocks begin within the range. */
export interface PartRead extends TimeRange {
  readonly part: StoredPart
  /** Only blocks that have results UP. */
  readonly onlyUp: boolean
}

/** Parts that one statement reads. */
const PARTS_AT_ONCE = 32

/** The results of a monitor in these parts, in no particular order. */
export function* resultsInParts(num: number, reads: readonly PartRead[]): DbWork<readonly StoredResult[]> {
  const found: StoredResult[] = []
  for (let at = 0; at < reads.length; at += PARTS_AT_ONCE) {
    const some = reads.slice(at, at + PARTS_AT_ONCE).map((read) => rowsOf(read, num))
    const rows = yield* execute(sql.join<StoredRow>(some, sql` union all `) as RawBuilder<StoredRow>)
    for (const { first_at, results, state, ms } of rows) {
      if (results === null) found.push({ at: first_at, state: stateOfCode(state), responseMs: ms })
      else found.push(...resultsIn({ first_at, results }))
    }
  }
  return found
}

interface StoredRow {
  readonly first_at: number
  readonly results: string | null
  readonly state: number
  readonly ms: number | null
}

function rowsOf({ part, from, to, onlyUp }: PartRead, num: number) {
  const [columns, isUp] =
    part.kind === 'rows'
      ? [sql`at as first_at, cast(null as text) as results, state, ms`, sql`state = ${sql.lit(stateCodes.UP)}`]
      : [sql`first_at, results, cast(0 as smallint) as state, cast(null as bigint) as ms`, sql`results like '%U%'`]
  const at = sql.ref(timeColumn(part))
  const filter = onlyUp ? sql` and ${isUp}` : sql``
  return sql`select ${columns} from ${sql.table(part.name)}
    where num = ${num} and ${at} >= ${from} and ${at} < ${to}${filter}`
}
