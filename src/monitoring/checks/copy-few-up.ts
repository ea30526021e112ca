import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import type { Engine } from '../../storage/database.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { stateCodes } from './raw-results.ts'
import type { ResultPart } from './result-parts.ts'

/**
 * If a monitor has at most this many results UP on a day, they get rows beside those of its other results (notable-results.ts).
 * Otherwise a page of such days would be read from up to a hundred parts, which takes PostgreSQL 10 ms to plan.
 */
export const FEW_UP = 5

/** Copies the results UP of these monitors in a part. Those that have a row already are left as they are. */
export function* copyFewUp(engine: Engine, part: ResultPart, nums: RawBuilder<unknown>): DbWork<void> {
  const expiresAt = part.day_at + (part.keep_days + 1) * DAY_MS
  yield* execute(sql`
    insert into notable_results (num, state, at, ms, expires_at)
    select num, ${sql.lit(stateCodes.UP)}, at, ms, ${sql.lit(expiresAt)} from (${resultsUp(engine, part, nums)}) as up
    where true
    on conflict do nothing`)
}

/** Entries of blocks are decoded as in result-blocks.ts. */
function resultsUp(engine: Engine, { kind, name }: ResultPart, nums: RawBuilder<unknown>) {
  const table = sql.table(name)
  if (kind === 'rows') {
    return sql`select num, at, ms from ${table} where num in (${nums}) and state = ${sql.lit(stateCodes.UP)}`
  }
  const blocks = sql`from ${table} as block`
  const isOne = sql`where num in (${nums}) and results like '%U%' and entry.value like '%U%'`
  return engine === 'postgres'
    ? sql`
      select num, first_at + cast(split_part(entry.value, 'U', 1) as bigint) as at,
        cast(nullif(split_part(entry.value, 'U', 2), '') as bigint) as ms
      ${blocks} cross join unnest(string_to_array(results, ',')) as entry(value) ${isOne}`
    : sql`
      select num, first_at + cast(substr(entry.value, 1, instr(entry.value, 'U') - 1) as integer) as at,
        cast(nullif(substr(entry.value, instr(entry.value, 'U') + 1), '') as integer) as ms
      ${blocks} cross join json_each('["' || replace(results, ',', '","') || '"]') as entry ${isOne}`
}
