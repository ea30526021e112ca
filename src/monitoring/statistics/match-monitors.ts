import { sql } from 'kysely'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { MonitorState } from '../monitor-states/state.ts'
import { foldCase } from '../monitors/listed.ts'
import { dividers, type GroupKey, type ListOrder } from './order-monitors.ts'

/** Which monitors of an organization. */
export interface Scope {
  readonly orgId: string
  readonly types?: readonly string[] | undefined
  readonly states?: readonly MonitorState[] | undefined
  /** Part of the name or the target, in any case. */
  readonly words?: string | undefined
  /** Only these. */
  readonly nums?: ReadonlySet<number>
}

/** The monitors of a scope; every query is one scan of the organization's narrow rows, in order of name. */
function listedIn({ orgId, types, states, words, nums }: Scope) {
  let query = q.selectFrom('listed_monitors').where('org_id', '=', orgId)
  if (types !== undefined) query = query.where('type', 'in', types)
  if (states !== undefined) query = query.where('state', 'in', states)
  if (words !== undefined) {
    const pattern = `%${foldCase(words).replace(/[\\%_]/g, '\\$&')}%`
    query = query.where(sql<boolean>`search_text like ${pattern} escape '\\'`)
  }
  // Literals: both engines limit the number of parameters.
  if (nums !== undefined) query = query.where(sql<boolean>`num in (${sql.raw([...nums].join(', ') || 'null')})`)
  return query
}

export interface MatchCount {
  readonly state: MonitorState
  readonly type: string
  readonly count: number
}

/** How many monitors of a scope there are, by state and type. */
export function* countMatches(scope: Scope): DbWork<readonly MatchCount[]> {
  if (scope.nums?.size === 0) return []
  return yield* execute(
    listedIn(scope)
      .select(['state', 'type', sql<number>`cast(count(*) as bigint)`.as('count')])
      .groupBy(['state', 'type']),
  )
}

/** Consecutive monitors of the list: all of these states and types. */
export interface Bucket {
  readonly state?: string
  readonly type?: string
  readonly count: number
}

/** Divides the list by group and column, where they are states or types. Without empty buckets. */
export function bucketsOf(matches: readonly MatchCount[], order: ListOrder): Bucket[] {
  let buckets: Partial<Record<GroupKey, string>>[] = [{}]
  for (const { key, values } of dividers(order)) {
    buckets = buckets.flatMap((bucket) => values.map((value) => ({ ...bucket, [key]: value })))
  }
  return buckets
    .map(({ state, type }) => {
      const isIn = (row: MatchCount) =>
        (state === undefined || row.state === state) && (type === undefined || row.type === type)
      const count = matches.filter(isIn).reduce((sum, row) => sum + row.count, 0)
      return { count, ...(state !== undefined && { state }), ...(type !== undefined && { type }) }
    })
    .filter(({ count }) => count > 0)
}

const storedColumns = { uptime: 'uptime', response: 'response_ms', checked: 'checked_at' } as const

/** The numbers of a bucket's monitors, in order. Monitors without a value come last. */
export function numsIn(scope: Scope, { state, type }: Bucket, { sort, order }: ListOrder) {
  let query = listedIn(scope).select('num')
  if (state !== undefined) query = query.where('state', '=', state as MonitorState)
  if (type !== undefined) query = query.where('type', '=', type)
  if (sort === 'uptime' || sort === 'response' || sort === 'checked') {
    const column = storedColumns[sort]
    query = query.orderBy(sql`${sql.ref(column)} is null`).orderBy(column, order)
  }
  return query.orderBy('name_key', sort === 'name' ? order : 'asc').orderBy('num')
}

/** The monitors of a scope, for sorting them here. */
export function* allIn(
  scope: Scope,
): DbWork<readonly { num: number; name_key: string; state: string; type: string }[]> {
  return yield* execute(listedIn(scope).select(['num', 'name_key', 'state', 'type']).orderBy('name_key').orderBy('num'))
}
