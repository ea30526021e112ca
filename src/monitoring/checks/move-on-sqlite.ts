import { sql } from 'kysely'
import { Pace } from '../../lib/pace.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { OpenTable } from './raw-results.ts'
import type { Block, ResultRow } from './result-blocks.ts'
import { ensurePart } from './result-parts.ts'
import { type PortionPart, ResultPortion } from './result-portion.ts'

/**
 * Rows that become blocks together. Do not change the number: a move that was interrupted is repeated, and must make the same
 * blocks.
 */
const PORTION = 100_000
const READING = { first: 500, most: 2_000, rests: 1 }
/** Each block changes a page of its own. With long rests few pages are flushed at a time: a commit waits for those of others. */
const WRITING = { first: 50, most: 400, rests: 8 }
const DELETING = { first: 1_000, most: 10_000, rests: 2 }
/** Deleting all rows of a table takes time for its pages: a millisecond for 100,000 rows. */
const MAX_ROWS_AT_ONCE = 500_000

/**
 * Moves the results of an open table into blocks, in many short transactions. Rows up to `upto` do not change, and the same portions
 * make the same blocks: after a crash everything is repeated, and blocks that exist are left as they are. False if results are
 * being moved already.
 */
export async function moveOnSqlite(database: Database, table: OpenTable, signal?: AbortSignal): Promise<boolean> {
  const lock = await database.tryLock('moving results')
  if (lock === undefined) return false
  try {
    const { upto, isMoved } = await database.write(() => beginMove(table))
    if (!isMoved && !(await moveRows(database, { table, upto }, signal))) return true
    const isEmpty = await database.write(() => deleteAll(table, upto))
    if (!isEmpty) await deleteInSteps(database, table, upto, signal)
    return true
  } finally {
    await lock.release()
  }
}

interface Move {
  readonly upto: number
  /** All rows are in blocks; they are being deleted. Stored as a negative number. */
  readonly isMoved: boolean
}

function* beginMove(table: OpenTable): DbWork<Move> {
  const moves = q.selectFrom('open_result_moves').select('upto').where('table_name', '=', table)
  const [begun] = yield* execute(moves)
  if (typeof begun?.upto === 'number') return { upto: Math.abs(begun.upto), isMoved: begun.upto < 0 }
  const upto = yield* lastRow(table)
  yield* setMove(table, upto)
  return { upto, isMoved: false }
}

function setMove(table: OpenTable, upto: number | null): DbWork<unknown> {
  return execute(
    q
      .insertInto('open_result_moves')
      .values({ table_name: table, upto })
      .onConflict((conflict) => conflict.column('table_name').doUpdateSet({ upto })),
  )
}

export function* lastRow(table: string): DbWork<number> {
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
export async function moveRows(database: Database, rows: Rows, signal?: AbortSignal): Promise<boolean> {
  const portion = new ResultPortion(Math.min(PORTION, rows.upto))
  const reading = new Pace(READING, signal)
  const writing = new Pace(WRITING, signal)
  for (let from = 0; from < rows.upto; from += PORTION) {
    const to = Math.min(from + PORTION, rows.upto)
    portion.clear()
    for (let at = from; at < to; ) {
      if (reading.isStopped) return false
      at = await reading.step(async (size) => {
        const end = Math.min(at + size, to)
        portion.add(await database.read(execute(rowsBetween(rows, at, end))))
        return end
      })
    }
    for (const part of portion.parts) if (!(await writeBlocks(database, portion, part, writing))) return false
  }
  return true
}

function rowsBetween({ table, keepDays }: Rows, after: number, upto: number) {
  const days = keepDays === undefined ? sql`keep_days` : sql`${keepDays} as keep_days`
  return sql<ResultRow>`
    select num, at, state, ms, ${days} from ${sql.table(table)} where rowid > ${after} and rowid <= ${upto}`
}

/** In order of monitors, so that a transaction changes few pages. False if it was stopped before the end. */
async function writeBlocks(
  database: Database,
  portion: ResultPortion,
  part: PortionPart,
  pace: Pace,
): Promise<boolean> {
  const nums = Float64Array.from(part.last.keys()).sort()
  for (let at = 0; at < nums.length; ) {
    if (pace.isStopped) return false
    at = await pace.step(async (size) => {
      const blocks = Array.from(nums.subarray(at, at + size), (num) => portion.block(part, num))
      await database.write(function* (): DbWork<void> {
        const name = yield* ensurePart('sqlite', part.dayAt, part.keepDays)
        yield* execute(insertBlocks(name, blocks))
      })
      return at + size
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

/** Deletes the moved rows if they are all of the table. If not, notes that they are moved, and returns false. */
function* deleteAll(table: OpenTable, upto: number): DbWork<boolean> {
  const isAll = upto <= MAX_ROWS_AT_ONCE && (yield* lastRow(table)) === upto
  // Without a condition SQLite does not look at the rows.
  if (isAll) yield* execute(q.deleteFrom(table))
  yield* setMove(table, isAll ? null : -upto)
  return isAll
}

async function deleteInSteps(
  database: Database,
  table: OpenTable,
  upto: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pace = new Pace(DELETING, signal)
  for (let isDone = false; !isDone; ) {
    if (pace.isStopped) return
    isDone = await pace.step((size) => database.write(() => deleteSome(table, upto, size)))
  }
}

/** True if none are left. */
function* deleteSome(table: OpenTable, upto: number, size: number): DbWork<boolean> {
  const rowid = sql<number>`rowid`
  const [first] = yield* execute(sql<{ at: number | null }>`select min(rowid) as at from ${sql.table(table)}`)
  const from = first?.at ?? Number.POSITIVE_INFINITY
  if (from > upto) {
    yield* setMove(table, null)
    return true
  }
  yield* execute(q.deleteFrom(table).where(rowid, '<=', Math.min(upto, from + size - 1)))
  return false
}
