import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { restAfter, sizeAfter } from '../../lib/pace.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { tryLockForTransaction } from '../../storage/transaction-lock.ts'
import type { OpenTable } from './raw-results.ts'
import type { Block } from './result-blocks.ts'
import { ensurePart } from './result-parts.ts'

const LOCK_NOT_AVAILABLE = '55P03'
/** Blocks. With long rests the log of the transaction grows slowly, and the server flushes it meanwhile: other commits wait for that. */
const WRITING = { first: 100, most: 1_000, rests: 4 }

class Stopped extends Error {}

/**
 * Moves the results of an open table into blocks, in one transaction of short steps with rests. Reads of the table do not wait
 * for it; a late result for it does. False if it was stopped, or if another node moves results.
 */
export async function moveOnPostgres(database: Database, table: OpenTable, signal?: AbortSignal): Promise<boolean> {
  try {
    return await database.forMaintenance().write(() => moveAll(table, signal))
  } catch (error) {
    if (error instanceof Stopped || isLockTimeout(error)) return false
    throw error
  }
}

function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE
}

function* moveAll(table: OpenTable, signal: AbortSignal | undefined): DbWork<boolean> {
  if (!(yield* tryLockForTransaction('postgres', 'result parts'))) return false
  yield* execute(sql`set local lock_timeout = '1s'`)
  // Against writers alone.
  yield* execute(sql`lock table ${sql.table(table)} in share row exclusive mode`)
  const groups = yield* execute(
    sql<Group>`select distinct at / ${sql.lit(DAY_MS)} as day, keep_days from ${sql.table(table)}`,
  )
  for (const group of groups) yield* moveGroup(table, group, signal)
  yield* empty(table)
  return true
}

/** Results of one day and retention time. */
interface Group {
  readonly day: number
  readonly keep_days: number
}

function* moveGroup(table: OpenTable, group: Group, signal: AbortSignal | undefined): DbWork<void> {
  const part = yield* ensurePart('postgres', group.day * DAY_MS, group.keep_days)
  yield* execute(declareBlocks(table, group))
  let size = WRITING.first
  for (let isMore = true; isMore; ) {
    if (signal?.aborted) throw new Stopped()
    const startedAt = performance.now()
    const blocks = yield* execute(sql<Block>`fetch forward ${sql.lit(size)} from new_blocks`)
    if (blocks.length > 0) yield* execute(insertBlocks(part, blocks))
    isMore = blocks.length === size
    const tookMs = performance.now() - startedAt
    size = sizeAfter(size, tookMs, WRITING.most)
    if (isMore) yield* execute(sql`select pg_sleep(${sql.lit(restAfter(tookMs, WRITING.rests) / 1000)})`)
  }
  yield* execute(sql`close new_blocks`)
}

/** As `blockOf` makes them. Blocks with the same first time differ only in what follows it. */
function declareBlocks(table: OpenTable, { day, keep_days: keepDays }: Group) {
  return sql`
    declare new_blocks no scroll cursor for
    select num, first_at, string_agg(concat(at - first_at, (array['U', 'G', 'D'])[state], ms), ',' order by at) as results
    from (
      select num, at, state, ms, min(at) over (partition by num) as first_at from ${sql.table(table)}
      where keep_days = ${sql.lit(keepDays)} and at >= ${sql.lit(day * DAY_MS)} and at < ${sql.lit((day + 1) * DAY_MS)}
    ) as results
    group by num, first_at order by num`
}

function insertBlocks(part: string, blocks: readonly Block[]) {
  return sql`
    insert into ${sql.table(part)} as part (num, first_at, results)
    select num, first_at, results
    from json_to_recordset(${JSON.stringify(blocks)}) as block (num bigint, first_at bigint, results text)
    on conflict (num, first_at) do update set results = part.results || ',' || excluded.results`
}

/**
 * Truncates the table. Reads wait for that, so it waits only briefly for them. While a long read goes on, such as a backup, the
 * rows are deleted instead, and their space is free after the next time.
 */
function* empty(table: OpenTable): DbWork<void> {
  yield* execute(sql`savepoint emptying`)
  try {
    yield* execute(sql`set local lock_timeout = '100ms'`)
    yield* execute(sql`truncate ${sql.table(table)}`)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    yield* execute(sql`rollback to savepoint emptying`)
    yield* execute(q.deleteFrom(table))
  }
}
