import { type RawBuilder, sql } from 'kysely'
import type { Selector, Term } from '../../lib/selector.ts'
import { type DbWork, execute, q } from '../query.ts'

/**
 * A selector as SQL. One condition, the one with the fewest monitors, is read from the index of labels; the others are
 * looked up per monitor. So the cost grows with the monitors of the rarest label, not with all monitors. A selector of
 * negative conditions only has to read all monitors.
 */
export interface Selection {
  /** At most so many monitors match; undefined if only all monitors are a bound. */
  readonly atMost: number | undefined
  /** SQL: `select d.num from … where …`, each number once, in no particular order. */
  readonly nums: RawBuilder<{ num: number }>
}

type PositiveTerm = Term & { readonly operator: 'in' | 'exists' }

export function* selectMonitors(orgId: string, selector: Selector): DbWork<Selection> {
  const positive = selector.filter(isPositive)
  if (positive.length === 0) return { atMost: undefined, nums: numsFrom(orgId, undefined, selector) }
  const counts = yield* countMonitors(orgId, positive)
  const rarest = positive.reduce((a, b) => (counts(b) < counts(a) ? b : a))
  const others = selector.filter((term) => term !== rarest)
  return { atMost: counts(rarest), nums: numsFrom(orgId, rarest, others) }
}

function isPositive(term: Term): term is PositiveTerm {
  return term.operator === 'in' || term.operator === 'exists'
}

function numsFrom(orgId: string, driver: PositiveTerm | undefined, others: readonly Term[]): Selection['nums'] {
  const conditions = others.map((term) => condition(orgId, term))
  const rest = conditions.length === 0 ? sql`` : sql` and ${sql.join(conditions, sql` and `)}`
  if (driver === undefined) return sql`select d.num from monitors d where d.org_id = ${orgId}${rest}`
  return sql`select d.num from monitor_labels d where d.org_id = ${orgId} and ${labelIs('d', driver)}${rest}`
}

function condition(orgId: string, term: Term): RawBuilder<boolean> {
  const exists = sql<boolean>`exists (select 1 from monitor_labels x
    where x.org_id = ${orgId} and x.num = d.num and ${labelIs('x', term)})`
  return isPositive(term) ? exists : sql`not ${exists}`
}

function labelIs(table: 'd' | 'x', term: Term): RawBuilder<boolean> {
  const key = sql<boolean>`${sql.ref(`${table}.key`)} = ${term.key}`
  if (!('values' in term)) return key
  const value = sql.ref(`${table}.value`)
  return term.values.length === 1
    ? sql`${key} and ${value} = ${term.values[0]}`
    : sql`${key} and ${value} in (${sql.join(term.values)})`
}

/**
 * SQL: whether a selector matches the monitor with the number in `column`, for a query that reads all monitors of the
 * organization. Each condition is read once, as a set.
 */
export function isSelected(orgId: string, selector: Selector, column: string): RawBuilder<boolean> {
  const conditions = selector.map((term) => {
    const labelled = sql`(select x.num from monitor_labels x where x.org_id = ${orgId} and ${labelIs('x', term)})`
    // The sign keeps SQLite from reading the monitors one by one in the order of the set.
    return isPositive(term)
      ? sql<boolean>`+${sql.ref(column)} in ${labelled}`
      : sql<boolean>`+${sql.ref(column)} not in ${labelled}`
  })
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** How many monitors have the label of each term. */
function* countMonitors(orgId: string, terms: readonly PositiveTerm[]): DbWork<(term: PositiveTerm) => number> {
  const keys = new Set(terms.map(({ key }) => key))
  const values = new Set(terms.flatMap((term) => ('values' in term ? term.values : [])))
  const perKey = yield* execute(
    q
      .selectFrom('label_keys')
      .select(['key', 'monitors'])
      .where('org_id', '=', orgId)
      .where('key', 'in', [...keys]),
  )
  const perValue =
    values.size === 0
      ? []
      : yield* execute(
          q
            .selectFrom('label_values')
            .select(['key', 'value', 'monitors'])
            .where('org_id', '=', orgId)
            .where('key', 'in', [...keys])
            .where('value', 'in', [...values]),
        )
  return (term) => {
    if (!('values' in term)) return perKey.find(({ key }) => key === term.key)?.monitors ?? 0
    const its = perValue.filter(({ key, value }) => key === term.key && term.values.includes(value))
    return its.reduce((sum, { monitors }) => sum + monitors, 0)
  }
}

/** How many monitors a selection has. */
export function* countSelected({ atMost, nums }: Selection): DbWork<number> {
  if (atMost === 0) return 0
  const [row] = yield* execute(q.selectNoFrom(sql<number>`(select cast(count(*) as bigint) from (${nums}) n)`.as('n')))
  return row?.n ?? 0
}

/** A page of a selection in order of creation. */
export function* selectedPage(
  { atMost, nums }: Selection,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): DbWork<readonly number[]> {
  if (atMost !== undefined && offset >= atMost) return []
  const rows = yield* execute(sql<{ num: number }>`${nums} order by d.num limit ${limit} offset ${offset}`)
  return rows.map(({ num }) => num)
}
