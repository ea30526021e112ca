import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { OPEN_TABLES, stateOfCode } from '../checks/raw-results.ts'
import { resultsIn, type StoredResult } from '../checks/result-blocks.ts'
import { recentResults } from './uptime.ts'

export interface ResultPage {
  /** Only results before this time. */
  readonly before: number
  readonly limit: number
}

/** Parts that one statement reads. Most pages need the newest one or two. */
const PARTS_AT_ONCE = 8
/** Rows of an open table are almost in order of time. */
const DISORDER_MS = 60_000
/** Blocks of a monitor may overlap where a result was late. */
const OVERLAPPING_BLOCKS = 8

/**
 * The stored results of a monitor, newest first. The newest are in the monitor's log, so the open tables, which have no
 * index, are read only for results that the log does not have any more and that are not in a block yet.
 */
export function* storedResults(num: number, { before, limit }: ResultPage): DbWork<readonly StoredResult[]> {
  const recent = yield* recentResults(num)
  // By time: while an open table is moved, a result is in two places.
  const found = new Map<number, StoredResult>()
  const add = ({ at, state, responseMs }: StoredResult) => found.set(at, { at, state, responseMs })
  for (const result of recent) if (result.at < before) add(result)
  if (found.size < limit) {
    const until = Math.min(before, recent.at(-1)?.at ?? before)
    for (const result of yield* openResults(num, until, limit)) add(result)
    yield* addFromParts(num, until, limit, found, add)
  }
  return [...found.values()].sort((a, b) => b.at - a.at).slice(0, limit)
}

function* openResults(num: number, until: number, limit: number): DbWork<StoredResult[]> {
  const results: StoredResult[] = []
  for (const table of OPEN_TABLES) {
    const [oldest] = yield* execute(q.selectFrom(table).select('at').limit(1))
    if (oldest === undefined || oldest.at > until + DISORDER_MS) continue
    const rows = yield* execute(
      q
        .selectFrom(table)
        .select(['at', 'state', 'ms'])
        .where('num', '=', num)
        .where('at', '<', until)
        .orderBy('at', 'desc')
        .limit(limit),
    )
    for (const { at, state, ms } of rows) results.push({ at, state: stateOfCode(state), responseMs: ms })
  }
  return results
}

/** Reads parts from the newest to the oldest until there are enough results that are newer than the rest. */
function* addFromParts(
  num: number,
  until: number,
  limit: number,
  found: ReadonlyMap<number, StoredResult>,
  add: (result: StoredResult) => unknown,
): DbWork<void> {
  const parts = yield* execute(
    q
      .selectFrom('result_parts')
      .select(['name', 'kind', 'day_at'])
      .where('indexed_at', 'is not', null)
      .where('day_at', '<', until)
      .orderBy('day_at', 'desc'),
  )
  const areEnough = (dayAt: number) => {
    const newer = found.keys().filter((at) => at >= dayAt + DAY_MS)
    return newer.take(limit).toArray().length === limit
  }
  for (let from = 0; from < parts.length && !areEnough(parts[from]?.day_at as number); ) {
    // Whole days: a monitor has results in several parts of a day after a change of its plan.
    const last = parts[Math.min(from + PARTS_AT_ONCE, parts.length) - 1]
    const to = parts.findLastIndex(({ day_at: dayAt }) => dayAt === last?.day_at) + 1
    const rows = yield* execute(
      sql.join<StoredRow>(
        parts.slice(from, to).map((part) => latestIn(part, num, until, limit)),
        sql` union all `,
      ) as RawBuilder<StoredRow>,
    )
    for (const { first_at, results, state, ms } of rows) {
      if (results === null) add({ at: first_at, state: stateOfCode(state), responseMs: ms })
      else for (const result of resultsIn({ first_at, results })) if (result.at < until) add(result)
    }
    from = to
  }
}

interface StoredRow {
  readonly first_at: number
  readonly results: string | null
  readonly state: number
  readonly ms: number | null
}

function latestIn(
  { name, kind }: { name: string; kind: 'rows' | 'blocks' },
  num: number,
  until: number,
  limit: number,
) {
  const at = kind === 'rows' ? sql`at` : sql`first_at`
  const columns =
    kind === 'rows'
      ? sql`at as first_at, cast(null as text) as results, state, ms`
      : sql`first_at, results, cast(0 as smallint) as state, cast(null as bigint) as ms`
  return sql`select * from (
    select ${columns} from ${sql.table(name)} where num = ${sql.lit(num)} and ${at} < ${sql.lit(until)} order by ${at} desc limit ${sql.lit(limit + OVERLAPPING_BLOCKS)}
  ) as ${sql.ref(name)}`
}
