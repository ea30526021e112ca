import { sql } from 'kysely'
import type { Selector } from '../../lib/selector.ts'
import { isSelected, type Selection } from '../../storage/labels/select.ts'
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
  readonly labels?: { readonly selector: Selector; readonly selection: Selection } | undefined
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

/** The monitors of a scope; every query is one scan of the organization's narrow rows, in order of name. */
function listedIn({ orgId, types, states, words, nums, labels, groupLabel }: Scope) {
  let query = withLabel(groupLabel).where('l.org_id', '=', orgId)
  if (types !== undefined) query = query.where('l.type', 'in', types)
  if (states !== undefined) query = query.where('l.state', 'in', states)
  if (words !== undefined) {
    const pattern = `%${foldCase(words).replace(/[\\%_]/g, '\\$&')}%`
    query = query.where(sql<boolean>`l.search_text like ${pattern} escape '\\'`)
  }
  // Literals: both engines limit the number of parameters.
  if (nums !== undefined) query = query.where(sql<boolean>`l.num in (${sql.raw([...nums].join(', ') || 'null')})`)
  if (labels !== undefined) {
    const { selector, selection } = labels
    const isFew = selection.atMost !== undefined && selection.atMost <= MAX_READ_SINGLY
    query = query.where(isFew ? sql<boolean>`l.num in (${selection.nums})` : isSelected(orgId, selector, 'l.num'))
  }
  return query
}

export interface MatchCount {
  readonly state: MonitorState
  readonly type: string
  /** The value of the label that is grouped by. */
  readonly label: string | null
  readonly count: number
}

/** How many monitors of a scope there are, by state, type and label. */
export function* countMatches(scope: Scope): DbWork<readonly MatchCount[]> {
  if (scope.nums?.size === 0 || scope.labels?.selection.atMost === 0) return []
  return yield* execute(
    listedIn(scope)
      .select(['l.state', 'l.type', labelOf(scope), sql<number>`cast(count(*) as bigint)`.as('count')])
      .groupBy(scope.groupLabel === undefined ? ['l.state', 'l.type'] : ['l.state', 'l.type', 'g.value']),
  )
}

/** Consecutive monitors of the list: all of these states, types and values of a label (null: without the label). */
export interface Bucket {
  readonly state?: string
  readonly type?: string
  readonly label?: string | null
  readonly count: number
}

export function isInBucket(
  { state, type, label }: Omit<Bucket, 'count'>,
  row: { readonly state: string; readonly type: string; readonly label: string | null },
): boolean {
  return (
    (state === undefined || row.state === state) &&
    (type === undefined || row.type === type) &&
    (label === undefined || row.label === label)
  )
}

/** Divides the list by group and column, where they are states, types or labels. Without empty buckets. */
export function bucketsOf(matches: readonly MatchCount[], order: ListOrder): Bucket[] {
  let buckets: (Partial<Record<GroupKey, string>> & { label?: string | null })[] = [{}]
  if (typeof order.group === 'object') buckets = labelValues(matches).map((label) => ({ label }))
  for (const { key, values } of dividers(order)) {
    buckets = buckets.flatMap((bucket) => values.map((value) => ({ ...bucket, [key]: value })))
  }
  return buckets
    .map((bucket) => ({
      ...bucket,
      count: matches.filter((row) => isInBucket(bucket, row)).reduce((sum, row) => sum + row.count, 0),
    }))
    .filter(({ count }) => count > 0)
}

/** In order; monitors without the label come last. */
function labelValues(matches: readonly MatchCount[]): (string | null)[] {
  const values = [...new Set(matches.map(({ label }) => label))]
  return values.sort((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
}

const storedColumns = { uptime: 'l.uptime', response: 'l.response_ms', checked: 'l.checked_at' } as const

/** The numbers of a bucket's monitors, in order. Monitors without a value come last. */
export function numsIn(scope: Scope, { state, type, label }: Bucket, { sort, order }: ListOrder) {
  let query = listedIn(scope).select('l.num')
  if (state !== undefined) query = query.where('l.state', '=', state as MonitorState)
  if (type !== undefined) query = query.where('l.type', '=', type)
  if (label !== undefined) query = query.where('g.value', label === null ? 'is' : '=', label)
  if (sort === 'uptime' || sort === 'response' || sort === 'checked') {
    const column = storedColumns[sort]
    query = query.orderBy(sql`${sql.ref(column)} is null`).orderBy(column, order)
  }
  return query.orderBy('l.name_key', sort === 'name' ? order : 'asc').orderBy('l.num')
}

export interface ListedMonitor {
  readonly num: number
  readonly name_key: string
  readonly state: string
  readonly type: string
  readonly label: string | null
}

/** The monitors of a scope, for sorting them here. */
export function* allIn(scope: Scope): DbWork<readonly ListedMonitor[]> {
  return yield* execute(
    listedIn(scope)
      .select(['l.num', 'l.name_key', 'l.state', 'l.type', labelOf(scope)])
      .orderBy('l.name_key')
      .orderBy('l.num'),
  )
}
