import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { lockForTransaction } from '../../storage/transaction-lock.ts'
import { copyNotableResults, partToCopy } from './copy-notable-results.ts'
import { countPart, partToCount } from './count-results.ts'
import { OPEN_TABLES, type OpenTable, openTableAt } from './raw-results.ts'
import { type Block, blockOf, type ResultRow } from './result-blocks.ts'
import { dayOf, dropExpiredPart, ensurePart, partName } from './result-parts.ts'

/** A table gets late results for this long after its turn. Later ones are moved after its next turn. */
const GRACE_MS = 60_000

/**
 * Drops one expired part, moves the results of one open table into the parts of their days, or counts the results of a part.
 * False if there is nothing to do. No step blocks the event loop for longer than a few milliseconds, whatever the number of results.
 */
export async function maintainResults(database: Database, now: number, signal?: AbortSignal): Promise<boolean> {
  if (await dropExpiredPart(database, now)) return true
  const table = await tableToMerge(database, now)
  if (table !== undefined) {
    if (database.engine === 'postgres') return mergeOnPostgres(database, table)
    await mergeOnSqlite(database, table, signal)
    return true
  }
  if (await maintainRows(database, now, signal)) return true
  return signal?.aborted === true ? false : completeParts(database, now, signal)
}

/** By one node at a time: two would read and write the same. */
async function completeParts(database: Database, now: number, signal: AbortSignal | undefined): Promise<boolean> {
  const isWork = ((await partToCopy(database)) ?? (await partToCount(database, now))) !== undefined
  if (!isWork) return false
  const lock = await database.tryLock('counting results')
  if (lock === undefined) return false
  try {
    return (await copyNotableResults(database, now, signal)) || (await countPart(database, now, signal))
  } finally {
    await lock.release()
  }
}

async function tableToMerge(database: Database, now: number): Promise<OpenTable | undefined> {
  const inUse = new Set([openTableAt(now), openTableAt(now - GRACE_MS)])
  for (const table of OPEN_TABLES) {
    if (inUse.has(table)) continue
    const [row] = await database.read(execute(q.selectFrom(table).select('num').limit(1)))
    if (row !== undefined) return table
  }
  return undefined
}

const LOCK_NOT_AVAILABLE = '55P03'

/** In one transaction, by the database. False while a backup has locked the table. */
async function mergeOnPostgres(database: Database, table: OpenTable): Promise<boolean> {
  try {
    await database.forMaintenance().write(() => mergeInDatabase(table))
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

function* mergeInDatabase(table: OpenTable): DbWork<void> {
  yield* lockForTransaction('postgres', 'result parts')
  yield* execute(sql`set local lock_timeout = '1s'`)
  yield* execute(sql`lock table ${sql.table(table)} in access exclusive mode`)
  const groups = yield* execute(
    sql<{ day: number; keep_days: number }>`
        select distinct at / ${sql.lit(DAY_MS)} as day, keep_days from ${sql.table(table)}`,
  )
  for (const { day, keep_days: keepDays } of groups) {
    const part = sql.table(yield* ensurePart('postgres', day * DAY_MS, keepDays))
    // As `blockOf` makes them. Blocks with the same first time differ only in what follows it.
    yield* execute(sql`
        insert into ${part} as part (num, first_at, results)
        select num, first_at, string_agg(concat(at - first_at, (array['U', 'G', 'D'])[state], ms), ',' order by at)
        from (
          select num, at, state, ms, min(at) over (partition by num) as first_at from ${sql.table(table)}
          where keep_days = ${keepDays} and at >= ${day * DAY_MS} and at < ${(day + 1) * DAY_MS}
        ) as results
        group by num, first_at
        on conflict (num, first_at) do update set results = part.results || ',' || excluded.results`)
  }
  yield* execute(sql`truncate ${sql.table(table)}`)
}

/** Rows that are moved together. Their blocks are in memory. */
const PORTION = 100_000
/** Bound how long the event loop is blocked. */
const ROWS_AT_ONCE = 1_000
const BLOCKS_AT_ONCE = 200

/**
 * In many short transactions. Rows up to `upto` do not change, and the same portions make the same blocks: after a crash
 * everything is repeated, and blocks that exist are left as they are.
 */
async function mergeOnSqlite(database: Database, table: OpenTable, signal: AbortSignal | undefined): Promise<void> {
  const upto = await database.write(() => beginMove(table))
  if (!(await moveRows(database, { table, upto }, signal))) return
  await database.write(function* (): DbWork<void> {
    const isAll = (yield* lastRow(table)) === upto
    // Without a condition SQLite does not look at the rows.
    yield* execute(isAll ? q.deleteFrom(table) : q.deleteFrom(table).where(sql<number>`rowid`, '<=', upto))
    yield* execute(q.updateTable('open_result_moves').set({ upto: null }).where('table_name', '=', table))
  })
}

function* beginMove(table: OpenTable): DbWork<number> {
  const moves = q.selectFrom('open_result_moves').select('upto').where('table_name', '=', table)
  const [begun] = yield* execute(moves)
  if (typeof begun?.upto === 'number') return begun.upto
  const upto = yield* lastRow(table)
  yield* execute(
    q
      .insertInto('open_result_moves')
      .values({ table_name: table, upto })
      .onConflict((conflict) => conflict.column('table_name').doUpdateSet({ upto })),
  )
  return upto
}

function* lastRow(table: string): DbWork<number> {
  const [row] = yield* execute(sql<{ last: number | null }>`select max(rowid) as last from ${sql.table(table)}`)
  return row?.last ?? 0
}

interface Rows {
  readonly table: string
  readonly upto: number
  /** Where the table has no such column. */
  readonly keepDays?: number
}

/** Writes the rows of a table into blocks. False if it was stopped before the end. */
async function moveRows(database: Database, rows: Rows, signal: AbortSignal | undefined): Promise<boolean> {
  for (let from = 0; from < rows.upto; from += PORTION) {
    const parts = new Map<string, PartRows>()
    const to = Math.min(from + PORTION, rows.upto)
    for (let at = from; at < to; at += ROWS_AT_ONCE) {
      await setImmediate()
      if (signal?.aborted) return false
      addRows(parts, await database.read(execute(rowsBetween(rows, at, Math.min(at + ROWS_AT_ONCE, to)))))
    }
    for (const part of parts.values()) if (!(await writeBlocks(database, part, signal))) return false
  }
  return true
}

function rowsBetween({ table, keepDays }: Rows, after: number, upto: number) {
  const days = keepDays === undefined ? sql`keep_days` : sql`${keepDays} as keep_days`
  return sql<ResultRow>`
    select num, at, state, ms, ${days} from ${sql.table(table)} where rowid > ${after} and rowid <= ${upto}`
}

/** Results of one day and retention time, by monitor. */
interface PartRows {
  readonly dayAt: number
  readonly keepDays: number
  readonly byMonitor: Map<number, ResultRow[]>
}

function addRows(parts: Map<string, PartRows>, rows: readonly ResultRow[]): void {
  for (const row of rows) {
    const { num, keep_days: keepDays } = row
    const dayAt = dayOf(row.at)
    const key = `${dayAt} ${keepDays}`
    let part = parts.get(key)
    if (part === undefined) {
      part = { dayAt, keepDays, byMonitor: new Map() }
      parts.set(key, part)
    }
    const its = part.byMonitor.get(num)
    if (its === undefined) part.byMonitor.set(num, [row])
    else its.push(row)
  }
}

/** In order of monitors, so that a transaction changes few pages. False if it was stopped before the end. */
async function writeBlocks(
  database: Database,
  { dayAt, keepDays, byMonitor }: PartRows,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const nums = Float64Array.from(byMonitor.keys()).sort()
  for (let at = 0; at < nums.length; at += BLOCKS_AT_ONCE) {
    await setImmediate()
    if (signal?.aborted) return false
    const some = nums.subarray(at, at + BLOCKS_AT_ONCE)
    const blocks = Array.from(some, (num) => blockOf(num, byMonitor.get(num) as ResultRow[]))
    await database.write(function* (): DbWork<void> {
      const part = yield* ensurePart('sqlite', dayAt, keepDays)
      yield* execute(insertBlocks(part, blocks))
    })
  }
  return true
}

function insertBlocks(part: string, blocks: readonly Block[]) {
  const json = JSON.stringify(blocks.map(({ num, first_at: first, results }) => [num, first, results]))
  return sql`
    insert into ${sql.table(part)} (num, first_at, results)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${json}) where true
    on conflict do nothing`
}

/** The result of a check that began before midnight may have been saved this long after it. */
const LATE_RESULTS_MS = 600_000

/**
 * Parts of `rows` without an index, from before the upgrade to schema 26; nothing writes to them. PostgreSQL builds the
 * index. On SQLite that would block the event loop, so their results become blocks, and the part is deleted.
 */
async function maintainRows(database: Database, now: number, signal: AbortSignal | undefined): Promise<boolean> {
  const [part] = await database.read(
    execute(
      q
        .selectFrom('result_parts')
        .select(['name', 'day_at', 'keep_days'])
        .where('indexed_at', 'is', null)
        .where('day_at', '>', 0)
        .limit(1),
    ),
  )
  if (part === undefined) return false
  if (database.engine === 'postgres') {
    if (part.day_at > now - DAY_MS - LATE_RESULTS_MS) return false
    await database.forMaintenance().write(() => indexRows(part.name, now))
    return true
  }
  const upto = await database.read(lastRow(part.name))
  if (!(await moveRows(database, { table: part.name, upto, keepDays: part.keep_days }, signal))) return false
  await database.write(function* (): DbWork<void> {
    const parts = q.updateTable('result_parts')
    const blocks = partName(part.day_at, part.keep_days)
    yield* execute(parts.set({ copied_at: null }).where('name', '=', blocks))
    // Expired from now on.
    yield* execute(parts.set({ day_at: 0 }).where('name', '=', part.name))
  })
  return true
}

function* indexRows(name: string, now: number): DbWork<void> {
  yield* lockForTransaction('postgres', 'result parts')
  yield* execute(sql`create index if not exists ${sql.ref(`${name}_of`)} on ${sql.table(name)} (num, at)`)
  yield* execute(q.updateTable('result_parts').set({ indexed_at: now }).where('name', '=', name))
}
