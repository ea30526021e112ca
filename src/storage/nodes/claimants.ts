import { type RawBuilder, sql } from 'kysely'
import { type Statement, statement } from '../query.ts'

/**
 * The distinct names in `claimed_by`, by one search of the index per name: `select distinct` would read all claims.
 * `condition` restricts `claimant.name`.
 */
export function claimantsOf(table: string, condition = sql`true`): Statement<object, { name: string }> {
  const least = (after: RawBuilder<unknown>) =>
    sql`select min(claimed_by) from ${sql.table(table)} where claimed_by is not null ${after}`
  return statement(
    (_: object) => sql<{ name: string }>`
      with recursive claimant (name) as (
        ${least(sql``)}
        union all
        select (${least(sql`and claimed_by > claimant.name`)}) from claimant where claimant.name is not null
      )
      select name from claimant where name is not null and ${condition} limit 1000`,
  )
}
