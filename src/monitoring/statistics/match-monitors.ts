import { type RawBuilder, sql } from 'kysely'
import type { Selector } from '../../lib/selector.ts'
import { isSelected, type Selection } from '../../storage/labels/select.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type MonitorState, monitorStates } from '../monitor-states/state.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'
import { foldCase } from '../monitors/listed.ts'
import type { Bucket, MatchCount } from './buckets.ts'

/** Which monitors of an organization. */
export interface Scope {
  readonly orgId: string
  readonly types?: readonly string[] | undefined
  readonly states?: readonly MonitorState[] | undefined
  /** Part of the name or the target, in any case. */
  readonly words?: string | undefined
  /** Only these. */
  readonly nums?: ReadonlySet<number>
  readonly ids?: readonly string[] | undefined
  readonly labels?: { readonly selector: Selector; readonly selection: Selection } | undefined
  /** SQL: a condition on `l`. */
  readonly only?: RawBuilder<boolean> | undefined
  /** The label whose value is read with the monitors. */
  readonly groupLabel?: string | undefined
}

/** Up to this number, the monitors of a selection are read one by one; more are found in a scan of the list. */
const MAX_READ_SINGLY = 2_000

/** With the label that is grouped by as `g`. */
function withLabel(key: string | undefined) {
  const monitors = q.selectFrom('listed_monitors as l')
  const joined = (label: string) =>
    monitors.leftJoin('monitor_labels as g', (on) =>
      on.onRef('g.org_id', '=', 'l.org_id').onRef('g.num', '=', 'l.num').on('g.key', '=', label),
    )
  // Queries without a group do not use `g`.
  return key === undefined ? (monitors as unknown as ReturnType<typeof joined>) : joined(key)
}

const labelOf = ({ groupLabel }: Scope) =>
  (groupLabel === undefined ? sql<string | null>`cast(null as text)` : sql<string | null>`g.value`).as('label')

/** What a query reads: what the index by state has (name, type and number), or also stored values. */
export type Columns = 'indexed' | 'values'

/** A condition on the state or type. If a query reads all rows, it keeps SQLite from using the index: it would look up each row. */
function condition(columns: Columns, is: RawBuilder<boolean>): RawBuilder<boolean> {
  return columns === 'indexed' ? is : sql`(${is}) is true`
}

/** As part of a LIKE pattern. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** The monitors of a scope; every query is one scan of narrow rows or of an index. */
export function listedIn(
  { orgId, types, states, words, nums, ids, only, labels, groupLabel }: Scope,
  columns: Columns = 'indexed',
) {
  let query = withLabel(groupLabel).where('l.org_id', '=', orgId)
  if (types !== undefined) query = query.where(condition(columns, sql`l.type in (${sql.join(types)})`))
  if (states !== undefined) query = query.where(condition(columns, sql`l.state in (${sql.join(states)})`))
  if (words !== undefined) {
    const pattern = `%${likeText(foldCase(words))}%`
    query = query.where(sql<boolean>`l.search_text like ${pattern} escape '\\'`)
  }
  // Literals: both engines limit the number of parameters.
  if (nums !== undefined) query = query.where(sql<boolean>`l.num in (${sql.raw([...nums].join(', ') || 'null')})`)
  if (only !== undefined) query = query.where(only)
  if (ids !== undefined) {
    const named = q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', 'in', ids)
    query = query.where('l.num', 'in', named)
  }
  if (labels !== undefined) {
    const { selector, selection } = labels
    const isFew = selection.atMost !== undefined && selection.atMost <= MAX_READ_SINGLY
    query = query.where(isFew ? sql<boolean>`l.num in (${selection.nums})` : isSelected(orgId, selector, 'l.num'))
  }
  return query
}

const countOfRows = sql<number>`cast(count(*) as bigint)`

/** How many monitors of a scope there are, by state and label, and by type if the order needs it. */
export function* countMatches(scope: Scope, isByType: boolean): DbWork<readonly MatchCount[]> {
  if (scope.nums?.size === 0 || scope.labels?.selection.atMost === 0) return []
  if (scope.groupLabel !== undefined) return yield* countByLabel(scope)
  if (isByType) return yield* countByType(scope)
  const filters = [scope.words, scope.nums, scope.ids, scope.only, scope.labels]
  const isUnfiltered = filters.every((filter) => filter === undefined)
  const rows = yield* isUnfiltered ? countOfEachState(scope) : countByState(scope)
  return rows.map((row) => ({ ...row, type: null, label: null }))
}

function countByLabel(scope: Scope): DbWork<readonly MatchCount[]> {
  return execute(
    listedIn(scope)
      .select(['l.state', 'l.type', labelOf(scope), countOfRows.as('count')])
      .groupBy(['l.state', 'l.type', 'g.value']),
  )
}

interface StateCount {
  readonly state: MonitorState
  readonly count: number
}

/** A column per state, not groups: in a search, SQLite would sort the rows for them, or look up each row from the index. */
function* countByState(scope: Scope): DbWork<readonly StateCount[]> {
  const [row] = yield* execute(listedIn(scope).select(monitorStates.map((state) => countWhere('l.state', state))))
  return monitorStates.map((state) => ({ state, count: row?.[state] ?? 0 }))
}

function countWhere<T extends string>(column: 'l.state' | 'l.type', value: T) {
  return sql<number>`cast(count(*) filter (where ${sql.ref(column)} = ${sql.lit(value)}) as bigint)`.as(value)
}

/** Counts in the index by state. PostgreSQL would read the whole table for one query with groups, which takes three times as long. */
function countOfEachState(scope: Scope): DbWork<readonly StateCount[]> {
  const states = sql.join(monitorStates.map((state) => sql`(${sql.lit(state)})`))
  const count = listedIn(scope).select(countOfRows.as('count')).where('l.state', '=', sql<MonitorState>`s.column1`)
  return execute(sql<StateCount>`select s.column1 as state, (${count}) as count from (values ${states}) as s`)
}

/** A column per type: SQLite sorts the rows for groups that are not in the order of the index, which takes twice as long. */
function* countByType(scope: Scope): DbWork<readonly MatchCount[]> {
  const counts = monitorTypes.map((type) => countWhere('l.type', type))
  const rows = yield* execute(
    listedIn(scope)
      .select(['l.state', ...counts])
      .groupBy('l.state'),
  )
  return rows.flatMap((row) => monitorTypes.map((type) => ({ state: row.state, type, label: null, count: row[type] })))
}

/** SQL: whether a monitor of the scope is in the bucket. */
export function isInBucketSql({ state, type, label }: Bucket, columns: Columns): RawBuilder<boolean> {
  const conditions = [sql<boolean>`true`]
  if (state !== undefined) conditions.push(condition(columns, sql`l.state = ${state}`))
  if (type !== undefined) conditions.push(condition(columns, sql`l.type = ${type}`))
  if (label !== undefined) conditions.push(label === null ? sql`g.value is null` : sql`g.value = ${label}`)
  return sql`${sql.join(conditions, sql` and `)}`
}

export interface ListedMonitor {
  readonly num: number
  readonly state: MonitorState
  readonly type: string
  readonly label: string | null
}

/** The monitors of a scope in order of name, for sorting them here. Undefined if there are more than `atMost`. */
export function* allIn(
  scope: Scope,
  atMost: number,
  nameOrder: 'asc' | 'desc',
): DbWork<readonly ListedMonitor[] | undefined> {
  const rows = yield* execute(
    listedIn(scope)
      .select(['l.num', 'l.state', 'l.type', labelOf(scope)])
      .orderBy('l.name_key', nameOrder)
      .orderBy('l.num')
      .limit(atMost + 1),
  )
  return rows.length > atMost ? undefined : rows
}
