import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { Pace } from '../../lib/pace.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { Database, Engine } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { lockForTransaction } from '../../storage/transaction-lock.ts'

/**
 * The table with the results of one day and retention time, as blocks (result-blocks.ts). Retention drops whole parts.
 * Parts of the kind `rows` were written by earlier versions: a row per result, indexed by monitor and time.
 */
export function partName(dayAt: number, keepDays: number): string {
  return `result_blocks_${isoTimestamp(dayAt).slice(0, 10).replaceAll('-', '')}_${keepDays}d`
}

/** A table with the results of one day and retention time. */
export interface ResultPart {
  readonly name: string
  readonly kind: 'rows' | 'blocks'
  readonly day_at: number
  readonly keep_days: number
}

/** By which a part is indexed, after the number of the monitor: the time of a result, or of the first one in a block. */
export function timeColumn({ kind }: Pick<ResultPart, 'kind'>): 'at' | 'first_at' {
  return kind === 'blocks' ? 'first_at' : 'at'
}

export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/** Creates the part unless it exists, and returns its name. */
export function* ensurePart(engine: Engine, dayAt: number, keepDays: number): DbWork<string> {
  const name = partName(dayAt, keepDays)
  // Blocks are read by primary key only, so SQLite stores them in the key's own tree.
  const clustered = engine === 'sqlite' ? sql` without rowid` : sql``
  yield* execute(
    sql`create table if not exists ${sql.table(name)} (num bigint not null, first_at bigint not null, results text not null, primary key (num, first_at))${clustered}`,
  )
  yield* execute(
    q
      .insertInto('result_parts')
      .values({
        ...{ name, day_at: dayAt, keep_days: keepDays, indexed_at: dayAt, kind: 'blocks' },
        ...{ counted_at: null, copied_at: dayAt },
      })
      // Results are added: they are counted again.
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ counted_at: null }).where('result_parts.counted_at', 'is not', null),
      ),
  )
  return name
}

/** SQLite frees pages one by one: dropping a part of a gigabyte at once would take seconds. */
const DELETING = { first: 200, most: 4_000, rests: 2 }

/** Drops an expired part, in short transactions with rests. False if no part has expired. */
export async function dropExpiredPart(database: Database, now: number, signal?: AbortSignal): Promise<boolean> {
  const [part] = await database.read(
    execute(
      q
        .selectFrom('result_parts')
        .select(['name', 'kind', 'indexed_at', 'day_at', 'keep_days'])
        .where(sql<number>`day_at + (keep_days + 1) * ${sql.lit(DAY_MS)}`, '<=', now)
        .orderBy('day_at')
        .limit(1),
    ),
  )
  if (part === undefined) return false
  const pace = new Pace(DELETING, signal)
  for (let isEmpty = false; !isEmpty; ) {
    if (pace.isStopped) return true
    isEmpty = await pace.step((size) => database.write(() => deleteFrom(database.engine, part, size)))
  }
  if (database.engine === 'postgres') {
    await database.write(() => unlist(part))
    await setTimeout(READ_MS)
  }
  await database.write(() => drop(database.engine, part))
  return true
}

/** On PostgreSQL a read may have looked up the part just before: dropping it at once would make the read fail. */
const READ_MS = 1_000

function unlist({ name }: ResultPart): DbWork<unknown> {
  return execute(q.updateTable('result_parts').set({ day_at: 0 }).where('name', '=', name))
}

function* drop(engine: Engine, { name }: ResultPart): DbWork<void> {
  yield* lockForTransaction(engine, 'result parts')
  yield* execute(sql`drop table if exists ${sql.table(name)}`)
  yield* execute(q.deleteFrom('result_parts').where('name', '=', name))
}

interface ExpiredPart extends ResultPart {
  readonly indexed_at: number | null
}

/** Deletes counts, and on SQLite rows. True if none are left. */
function* deleteFrom(engine: Engine, part: ExpiredPart, size: number): DbWork<boolean> {
  if ((yield* deleteCounts(engine, part, size)) > 0) return false
  return engine === 'postgres' || (yield* deleteRows(part, size)) < size
}

/** Deletes some counts of the part and returns how many. PostgreSQL would look for their keys among all that are left. */
function* deleteCounts(
  engine: Engine,
  { day_at: dayAt, keep_days: keepDays }: ResultPart,
  size: number,
): DbWork<number> {
  const key = engine === 'postgres' ? sql`ctid` : sql`num, day_at, keep_days`
  const some = sql`select ${key} from result_counts where day_at = ${dayAt} and keep_days = ${keepDays} limit ${size}`
  const found = engine === 'postgres' ? sql`= any(array(${some}))` : sql`in (${some})`
  const deleted = yield* execute(sql`delete from result_counts where (${key}) ${found} returning num`)
  return deleted.length
}

/** In the order of an index where there is one, so that few pages change. Returns how many there were, up to the limit. */
function* deleteRows({ name, kind, indexed_at: indexedAt }: ExpiredPart, size: number): DbWork<number> {
  const key = kind === 'rows' ? sql`rowid` : sql`num, first_at`
  const order = kind === 'rows' && indexedAt !== null ? sql`num, at` : key
  const table = sql.table(name)
  const [found] = yield* execute(sql<{ n: number }>`select count(*) as n from (select 1 from ${table} limit ${size})`)
  yield* execute(
    sql`delete from ${table} where (${key}) in (select ${key} from ${table} order by ${order} limit ${size})`,
  )
  return found?.n ?? 0
}
