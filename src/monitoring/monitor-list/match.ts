import { type RawBuilder, sql } from 'kysely'
import type { Selector } from '../../lib/selector.ts'
import { isSelected, type Selection } from '../../storage/labels/select.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type MonitorState, monitorStates } from '../monitor-states/state.ts'
import { foldCase } from '../monitors/save-list-row.ts'
import type { Bucket, MatchCount } from './order.ts'

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
  const monitors = q.selectFrom('monitor_list as l')
  const joined = (label: string) =>
    monitors.leftJoin('monitor_labels as g', (on) =>
      on.onRef('g.org_id', '=', 'l.org_id').onRef('g.num', '=', 'l.num').on('g.key', '=', label),
    )
  // Queries without a group do not use `g`.
  return key === undefined ? (monitors as unknown as ReturnType<typeof joined>) : joined(key)
}

const labelOf = ({ groupLabel }: Scope) =>
  (groupLabel === undefined ? sql<string | null>`cast(null as text)` : sql<string | null>`g.value`).as('label')

/** As part of a LIKE pattern. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** The monitors of a scope; every query is one scan of narrow rows or of an index. */
export function listedIn({ orgId, types, states, words, nums, ids, only, labels, groupLabel }: Scope) {
  let query = withLabel(groupLabel).where('l.org_id', '=', orgId)
  if (types !== undefined) query = query.where('l.type', 'in', types)
  if (states !== undefined) query = query.where('l.state', 'in', states)
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

/** How many monitors of a scope there are, by state and label, and by type if the order needs it. */
export function* countMatches(scope: Scope, isByType: boolean): DbWork<readonly MatchCount[]> {
  if (scope.nums?.size === 0 || scope.labels?.selection.atMost === 0) return []
  const { words, groupLabel } = scope
  if (words === undefined || groupLabel !== undefined || isByType) {
    const type = isByType ? sql<string | null>`l.type` : sql<string | null>`cast(null as text)`
    return yield* execute(
      listedIn(scope)
        .select(['l.state', type.as('type'), labelOf(scope), sql<number>`cast(count(*) as bigint)`.as('count')])
        .groupBy(['l.state', ...(isByType ? (['l.type'] as const) : [])])
        .$if(groupLabel !== undefined, (query) => query.groupBy('g.value')),
    )
  }
  // A column for each state, not groups: in a search, SQLite would sort the rows for them, which takes four times as long.
  const [counts] = yield* execute(listedIn(scope).select(monitorStates.map(countOf)))
  return monitorStates.map((state) => ({ state, type: null, label: null, count: counts?.[state] ?? 0 }))
}

function countOf(state: MonitorState) {
  return sql<number>`cast(count(*) filter (where l.state = ${sql.lit(state)}) as bigint)`.as(state)
}

/** SQL: whether a monitor of the scope is in the bucket. */
export function isInBucketSql({ words }: Scope, { state, type, label }: Bucket): RawBuilder<boolean> {
  const conditions = [sql<boolean>`true`]
  // In a search, SQLite must not use the index by state, which lacks the text: it would look up each row.
  if (state !== undefined)
    conditions.push(words === undefined ? sql`l.state = ${state}` : sql`(l.state = ${state}) is true`)
  if (type !== undefined) conditions.push(sql`l.type = ${type}`)
  if (label !== undefined) conditions.push(label === null ? sql`g.value is null` : sql`g.value = ${label}`)
  return sql`${sql.join(conditions, sql` and `)}`
}

export interface ListedMonitor {
  readonly num: number
  readonly state: MonitorState
  readonly type: string
  readonly label: string | null
}

/** The monitors of a scope in order of name. */
export function allIn(scope: Scope): DbWork<readonly ListedMonitor[]> {
  return execute(
    listedIn(scope)
      .select(['l.num', 'l.state', 'l.type', labelOf(scope)])
      .orderBy('l.name_key')
      .orderBy('l.num'),
  )
}
