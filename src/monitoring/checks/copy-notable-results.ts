import { sql } from 'kysely'
import { Pace } from '../../lib/pace.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type NotableResult, recordNotableResults } from './notable-results.ts'
import { stateCodes, stateOfCode } from './raw-results.ts'
import { resultsIn } from './result-blocks.ts'
import { type ResultPart, timeColumn } from './result-parts.ts'

type Part = Pick<ResultPart, 'name' | 'kind' | 'keep_days'>

/** Blocks or results. */
const COPYING = { first: 100, most: 1_000, rests: 2 }

/** The newest part whose results other than UP have no rows of their own. */
export async function partToCopy(database: Database): Promise<Part | undefined> {
  const [part] = await database.read(
    execute(
      q
        .selectFrom('result_parts')
        .select(['name', 'kind', 'keep_days'])
        .where('copied_at', 'is', null)
        .where('indexed_at', 'is not', null)
        .where('day_at', '>', 0)
        .orderBy('day_at', 'desc')
        .limit(1),
    ),
  )
  return part
}

/**
 * Copies results other than UP of one part that was written before they had rows of their own (migration 27), without reasons.
 * False if there is no such part.
 */
export async function copyNotableResults(database: Database, now: number, signal?: AbortSignal): Promise<boolean> {
  const part = await partToCopy(database)
  if (part === undefined) return false
  const pace = new Pace(COPYING, signal)
  let last: Found | undefined = { num: -1, at: -1, results: null, state: 0, ms: null }
  while (last !== undefined) {
    if (pace.isStopped) return false
    const after: Found = last
    last = await pace.step((size) => copySome(database, part, after, size))
  }
  await database.write(() => markCopied(part, now))
  return true
}

/** Returns the last one read, or undefined if there are no more. */
async function copySome(database: Database, part: Part, after: Found, size: number): Promise<Found | undefined> {
  const rows = await database.read(execute(resultsAfter(part, after, size)))
  const notable = rows.flatMap((row) => notableIn(row, part.keep_days))
  if (notable.length > 0) await database.write(() => recordNotableResults(notable))
  return rows.length === size ? rows.at(-1) : undefined
}

function* markCopied({ name }: Part, now: number): DbWork<void> {
  yield* execute(q.updateTable('result_parts').set({ copied_at: now }).where('name', '=', name))
}

/** A block, or a result of its own. A block without problems has no results here, and the state UP. */
interface Found {
  readonly num: number
  readonly at: number
  readonly results: string | null
  readonly state: number
  readonly ms: number | null
}

/** The next ones, with and without problems: a search for problems could read the whole part in one statement. */
function resultsAfter(part: Part, { num, at }: Found, size: number) {
  const time = sql.ref(timeColumn(part))
  const columns =
    part.kind === 'blocks'
      ? sql`case when results like '%D%' or results like '%G%' then results end as results,
          ${sql.lit(stateCodes.UP)} as state, null as ms`
      : sql`null as results, state, ms`
  return sql<Found>`
    select num, ${time} as at, ${columns} from ${sql.table(part.name)}
    where (num, ${time}) > (${sql.lit(num)}, ${sql.lit(at)})
    order by num, ${time} limit ${sql.lit(size)}`
}

function notableIn({ num, at, results, state, ms }: Found, keepDays: number): NotableResult[] {
  const its =
    results === null ? [{ at, state: stateOfCode(state), responseMs: ms }] : resultsIn({ first_at: at, results })
  return its.flatMap((result) =>
    result.state === 'UP' ? [] : { num, ...result, state: result.state, code: null, error: null, keepDays },
  )
}
