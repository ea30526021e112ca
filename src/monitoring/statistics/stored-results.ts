import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { all, type DbWork, execute, first, q, sideBySide, statement } from '../../storage/query.ts'
import { OPEN_TABLES, stateCodes, stateOfCode } from '../checks/raw-results.ts'
import { letters, resultsInBlocks, type StoredResult } from '../checks/result-blocks.ts'
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

const partsWithin = statement(({ after, before }: { after: number; before: number }) =>
  q
    .selectFrom('result_parts')
    .select(['name', 'kind', 'day_at', 'keep_days', 'counted_at'])
    .where('indexed_at', 'is not', null)
    .where('day_at', '<', before)
    .where('day_at', '>', after)
    .orderBy('day_at', 'desc'),
)

/** The parts that may have results of this time, newest first. */
export function partsBetween({ from, to }: TimeRange): DbWork<readonly StoredPart[]> {
  return all(partsWithin, { after: Math.max(0, from - DAY_MS), before: to })
}

const logOf = statement(({ num }: { num: number }) =>
  q.selectFrom('monitor_states').select(['recent_results', 'memory']).where('num', '=', num),
)

interface Log {
  readonly results: readonly RecentResult[]
  /** Whether it has all results of the monitor. */
  readonly isComplete: boolean
}

/** The latest results of a monitor. */
export function* logOfResults(num: number): DbWork<Log> {
  const row = yield* first(logOf, { num })
  if (row === undefined) return { results: [], isComplete: false }
  const results = readLog(readMemory(row.memory, 0).newLines + row.recent_results)
  // A log that was cut off has its full length.
  return { results, isComplete: row.recent_results.length < LOG_CHARACTERS }
}

/** Rows of an open table are almost in order of time. */
const DISORDER_MS = 60_000

/**
 * Results before `to` that are older than the log and may not be in a part yet. Open tables have no index, so they are read only if
 * their oldest results are older than the log. Undefined if none had to be read.
 */
export function* unmovedBeforeLog(
  num: number,
  to: number,
  log: Log,
  oldest: readonly (number | null)[],
): DbWork<readonly StoredResult[] | undefined> {
  if (log.isComplete) return undefined
  const until = Math.min(to, log.results.at(-1)?.at ?? to)
  const tables = OPEN_TABLES.filter((_, i) => (oldest[i] ?? Number.POSITIVE_INFINITY) <= until + DISORDER_MS)
  if (tables.length === 0) return undefined
  const older: StoredResult[] = []
  for (const table of tables) {
    const rows = yield* execute(
      q.selectFrom(table).select(['at', 'state', 'ms']).where('num', '=', num).where('at', '<', until),
    )
    for (const { at, state, ms } of rows) older.push({ at, state: stateOfCode(state), responseMs: ms })
  }
  return older
}

/** What to read of a part. Blocks begin within the range. */
export interface PartRead extends TimeRange {
  readonly part: StoredPart
  /** Only blocks that have results UP. */
  readonly onlyUp: boolean
}

/** Parts that are read in one round trip. */
const PARTS_AT_ONCE = 32

/** Results of one part. */
export interface PartResults {
  readonly dayAt: number
  readonly results: readonly StoredResult[]
}

/**
 * The results of a monitor in these parts. Each part has a statement of its own: for a union of several PostgreSQL starts
 * parallel workers, which takes longer than reading them.
 */
export function* resultsInParts(num: number, reads: readonly PartRead[]): DbWork<readonly PartResults[]> {
  const found: PartResults[] = []
  for (let at = 0; at < reads.length; at += PARTS_AT_ONCE) {
    const some = reads.slice(at, at + PARTS_AT_ONCE)
    const rows = yield* sideBySide(...some.map((read) => execute(blocksOf(read, num))))
    for (const [i, { part }] of some.entries()) {
      const blocks = rows[i]?.[0]?.blocks ?? null
      if (blocks !== null) found.push({ dayAt: part.day_at, results: resultsInBlocks(blocks) })
    }
  }
  return found
}

/** SQL: the letter that stands for the state of a row in blocks. */
const letterOfState = sql`
  case state
    when ${sql.lit(stateCodes.UP)} then ${sql.lit(letters.UP)}
    when ${sql.lit(stateCodes.DEGRADED)} then ${sql.lit(letters.DEGRADED)}
    else ${sql.lit(letters.DOWN)}
  end`

function blocksOf({ part, from, to, onlyUp }: PartRead, num: number) {
  const [text, isUp] =
    part.kind === 'rows'
      ? [sql`':0' || ${letterOfState} || coalesce(cast(ms as text), '')`, sql`state = ${sql.lit(stateCodes.UP)}`]
      : [sql`':' || results`, sql`results like '%U%'`]
  const at = sql.ref(timeColumn(part))
  const filter = onlyUp ? sql` and ${isUp}` : sql``
  return sql<{
    readonly blocks: string | null
  }>`select string_agg(${at} || ${text}, ';') as blocks from ${sql.table(part.name)}
    where num = ${num} and ${at} >= ${from} and ${at} < ${to}${filter}`
}
