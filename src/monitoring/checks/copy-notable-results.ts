import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type NotableResult, recordNotableResults } from './notable-results.ts'
import { stateOfCode } from './raw-results.ts'
import { resultsIn } from './result-blocks.ts'

interface Part {
  readonly name: string
  readonly kind: 'rows' | 'blocks'
  readonly keep_days: number
}

const BLOCKS_AT_ONCE = 500

/**
 * Copies results other than UP of one part that was written before they had rows of their own (migration 27), without reasons.
 * False if there is no such part.
 */
export async function copyNotableResults(database: Database, now: number, signal?: AbortSignal): Promise<boolean> {
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
  if (part === undefined) return false
  let last: Found | undefined = { num: -1, at: -1, results: null, state: 0, ms: null }
  while (last !== undefined) {
    await setImmediate()
    if (signal?.aborted) return false
    const rows: readonly Found[] = await database.read(execute(problemsAfter(part, last)))
    if (rows.length > 0) {
      await database.write(() => recordNotableResults(rows.flatMap((row) => notableIn(row, part.keep_days))))
    }
    last = rows.length === BLOCKS_AT_ONCE ? rows.at(-1) : undefined
  }
  await database.write(() => markCopied(part, now))
  return true
}

function* markCopied({ name }: Part, now: number): DbWork<void> {
  yield* execute(q.updateTable('result_parts').set({ copied_at: now }).where('name', '=', name))
}

/** A block, or a result of its own. */
interface Found {
  readonly num: number
  readonly at: number
  readonly results: string | null
  readonly state: number
  readonly ms: number | null
}

function problemsAfter({ name, kind }: Part, { num, at }: Found) {
  const [time, columns, isNotable] =
    kind === 'blocks'
      ? [sql`first_at`, sql`results, 0 as state, null as ms`, sql`(results like '%D%' or results like '%G%')`]
      : [sql`at`, sql`null as results, state, ms`, sql`state in (2, 3)`]
  return sql<Found>`
    select num, ${time} as at, ${columns} from ${sql.table(name)}
    where (num, ${time}) > (${sql.lit(num)}, ${sql.lit(at)}) and ${isNotable}
    order by num, ${time} limit ${sql.lit(BLOCKS_AT_ONCE)}`
}

function notableIn({ num, at, results, state, ms }: Found, keepDays: number): NotableResult[] {
  const its =
    results === null ? [{ at, state: stateOfCode(state), responseMs: ms }] : resultsIn({ first_at: at, results })
  return its.flatMap((result) =>
    result.state === 'UP' ? [] : { num, ...result, state: result.state, code: null, error: null, keepDays },
  )
}
