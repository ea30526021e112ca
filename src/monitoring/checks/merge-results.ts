import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { lockForTransaction } from '../../storage/transaction-lock.ts'
import { copyNotableResults, partToCopy } from './copy-notable-results.ts'
import { countPart, partToCount } from './count-results.ts'
import { moveOnPostgres } from './move-on-postgres.ts'
import { lastRow, moveOnSqlite, moveRows } from './move-on-sqlite.ts'
import { OPEN_TABLES, type OpenTable, openTableAt } from './raw-results.ts'
import { dropExpiredPart, partName } from './result-parts.ts'

/** A table gets late results for this long after its turn. Later ones are moved after its next turn. */
const GRACE_MS = 60_000

/**
 * Drops one expired part, moves the results of one open table into the parts of their days, or counts the results of a part.
 * False if there is nothing to do, or another node does it. Steps take a few milliseconds and are followed by rests (lib/pace.ts).
 */
export async function maintainResults(database: Database, now: number, signal?: AbortSignal): Promise<boolean> {
  if (await dropExpiredPart(database, now, signal)) return true
  const table = await tableToMerge(database, now)
  if (table !== undefined) {
    return database.engine === 'postgres'
      ? moveOnPostgres(database, table, signal)
      : moveOnSqlite(database, table, signal)
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
