import { sql } from 'kysely'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/clock.ts'
import { Pace } from '../../lib/pace.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { lockForTransaction } from '../../storage/transaction-lock.ts'
import { copyFewUp, FEW_UP } from './copy-few-up.ts'
import { oldestOfOpenTables, type RawState, stateCodes } from './raw-results.ts'
import { type ResultPart, timeColumn } from './result-parts.ts'

/** Results that are saved this long after midnight are counted again: a move into a part resets its counts. */
const COUNTED_AFTER_MS = 10 * MINUTE_MS

/** The newest part whose day is over and whose results are not counted. */
export async function partToCount(database: Database, now: number): Promise<ResultPart | undefined> {
  const [part] = await database.read(
    execute(
      q
        .selectFrom('result_parts')
        .select(['name', 'kind', 'day_at', 'keep_days'])
        .where('counted_at', 'is', null)
        .where('indexed_at', 'is not', null)
        .where('day_at', '>', 0)
        .where('day_at', '<=', now - DAY_MS - COUNTED_AFTER_MS)
        .orderBy('day_at', 'desc')
        .limit(1),
    ),
  )
  return part
}

/**
 * Counts the results of one part by monitor and state, once its day is over. So a page at any offset is found, and the total
 * known, from one row per day. False if there is no such part. Call it when no open table is to be moved.
 */
export async function countPart(database: Database, now: number, signal?: AbortSignal): Promise<boolean> {
  const part = await partToCount(database, now)
  if (part === undefined) return false
  // After a restart the open table that is written to may also have results of the part's day.
  const oldest = await database.read(oldestOfOpenTables())
  if (oldest.some((at) => at !== null && at < part.day_at + DAY_MS)) return false
  if (database.engine === 'postgres') await database.forMaintenance().write(() => countInDatabase(part, now))
  else if (!(await countInSteps(database, part, signal))) return false
  else await database.write(() => markCounted(part, now))
  return true
}

function markCounted({ name }: ResultPart, now: number): DbWork<unknown> {
  return execute(q.updateTable('result_parts').set({ counted_at: now }).where('name', '=', name))
}

function* countInDatabase(part: ResultPart, now: number): DbWork<void> {
  yield* lockForTransaction('postgres', 'result parts')
  yield* execute(sql`
    insert into result_counts (num, day_at, keep_days, up, degraded, down, up_hours)
    select num, ${sql.lit(part.day_at)}, ${sql.lit(part.keep_days)}, up, degraded, down, up_hours
    from (select num, ${countsOf(part)} from ${sql.table(part.name)} group by num) as counts
    ${onConflict}`)
  const { day_at: dayAt, keep_days: keepDays } = part
  const few = sql`
    select num from result_counts
    where day_at = ${sql.lit(dayAt)} and keep_days = ${sql.lit(keepDays)} and up between 1 and ${sql.lit(FEW_UP)}`
  yield* copyFewUp('postgres', part, few)
  yield* markCounted(part, now)
}

const onConflict = sql`
  on conflict (num, day_at, keep_days) do update
  set up = excluded.up, degraded = excluded.degraded, down = excluded.down, up_hours = excluded.up_hours`

/**
 * Counts by state, and the hours of the day that have results UP as bits of a number, which is the sum of distinct powers of two.
 * Blocks are not decoded: their letters are counted.
 */
function countsOf(part: ResultPart) {
  const { kind, day_at: dayAt } = part
  const at = sql.ref(timeColumn(part))
  const bit = sql`(1 << cast((${at} - ${sql.lit(dayAt)}) / ${sql.lit(HOUR_MS)} as integer))`
  const letters = (letter: string) => sql`length(results) - length(replace(results, ${sql.lit(letter)}, ''))`
  const rows = (state: RawState) => sql`case when state = ${sql.lit(stateCodes[state])} then 1 else 0 end`
  const [up, degraded, down] =
    kind === 'blocks' ? [letters('U'), letters('G'), letters('D')] : [rows('UP'), rows('DEGRADED'), rows('DOWN')]
  return sql`
    cast(sum(${up}) as bigint) as up, cast(sum(${degraded}) as bigint) as degraded, cast(sum(${down}) as bigint) as down,
    cast(coalesce(sum(distinct case when ${up} > 0 then ${bit} end), 0) as bigint) as up_hours`
}

/** Blocks. */
const COUNTING = { first: 200, most: 2_000, rests: 2 }

interface Counts {
  readonly num: number
  readonly blocks: number
  readonly up: number
  readonly degraded: number
  readonly down: number
  readonly up_hours: number
}

/** On SQLite, in short transactions. The same blocks give the same counts: after a crash it starts again. */
async function countInSteps(database: Database, part: ResultPart, signal: AbortSignal | undefined): Promise<boolean> {
  const pace = new Pace(COUNTING, signal)
  for (let after: number | undefined = -1; after !== undefined; ) {
    if (pace.isStopped) return false
    const last: number = after
    after = await pace.step((size) => countSome(database, part, last, size))
  }
  return true
}

/** Counts the results of the next monitors and returns the last of them; undefined if there are none. */
async function countSome(
  database: Database,
  part: ResultPart,
  after: number,
  size: number,
): Promise<number | undefined> {
  const { name, day_at: dayAt, keep_days: keepDays } = part
  const time = sql.ref(timeColumn(part))
  const some = sql`(select * from ${sql.table(name)} where num > ${after} order by num, ${time} limit ${size})`
  const counted = [...(await database.read(execute(countsIn(part, some))))]
  if (counted.length === 0) return undefined
  const isCutOff = counted.reduce((sum, { blocks }) => sum + blocks, 0) === size
  if (isCutOff && counted.length > 1) counted.pop()
  else if (isCutOff) {
    const [{ num }] = counted as [Counts]
    const all = sql`(select * from ${sql.table(name)} where num = ${num})`
    counted.splice(0, 1, ...(await database.read(execute(countsIn(part, all)))))
  }
  const json = JSON.stringify(
    counted.map(({ num, up, degraded, down, up_hours: hours }) => [num, up, degraded, down, hours]),
  )
  const few = counted.filter(({ up }) => up > 0 && up <= FEW_UP).map(({ num }) => num)
  await database.write(function* (): DbWork<void> {
    yield* execute(sql`
      insert into result_counts (num, day_at, keep_days, up, degraded, down, up_hours)
      select value ->> 0, ${dayAt}, ${keepDays}, value ->> 1, value ->> 2, value ->> 3, value ->> 4
      from json_each(${json}) where true
      ${onConflict}`)
    if (few.length > 0) yield* copyFewUp('sqlite', part, sql`select value from json_each(${JSON.stringify(few)})`)
  })
  return (counted.at(-1) as Counts).num
}

function countsIn(part: ResultPart, from: ReturnType<typeof sql>) {
  return sql<Counts>`select num, count(*) as blocks, ${countsOf(part)} from ${from} as blocks group by num order by num`
}
