import { type RawBuilder, sql } from 'kysely'
import { type MonitorState, monitorStates } from '../monitor-states/state.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'

export const sortKeys = ['state', 'name', 'type', 'uptime', 'response', 'checked', 'match'] as const
type SortKey = (typeof sortKeys)[number]

export const groupKeys = ['state', 'type'] as const
type GroupKey = (typeof groupKeys)[number]

export const groupValues: Readonly<Record<GroupKey, readonly string[]>> = { state: monitorStates, type: monitorTypes }

/** Groups by the value of a label; the values are those of the monitors. */
interface LabelGroup {
  readonly label: string
}

export type Group = GroupKey | LabelGroup

export interface ListOrder {
  readonly sort: SortKey
  readonly order: 'asc' | 'desc'
}

/** The values of a state or type in order of display: states by urgency. */
const displayOrder: Readonly<Record<GroupKey, readonly string[]>> = {
  state: ['DOWN', 'DEGRADED', 'PENDING', 'UP', 'PAUSED'] satisfies MonitorState[],
  type: monitorTypes,
}

/** Sorts the values of a group for display; monitors without the label come last. */
export function compareGroups(group: Group, a: string | null, b: string | null): number {
  if (typeof group === 'string') return displayOrder[group].indexOf(a ?? '') - displayOrder[group].indexOf(b ?? '')
  return a === null ? 1 : b === null ? -1 : a < b ? -1 : 1
}

const columns = { state: 's.state', type: 'm.type' } as const

/** SQL: the value of the group of a monitor; null without the label. */
export function groupColumn(group: Group | undefined): RawBuilder<string | null> {
  if (group === undefined) return sql`cast(null as text)`
  return sql.ref(typeof group === 'string' ? columns[group] : 'g.value')
}

function rank(key: GroupKey): RawBuilder<number> {
  const cases = displayOrder[key].map((value, i) => sql`when ${sql.lit(value)} then ${sql.lit(i)}`)
  return sql`case ${sql.ref(columns[key])} ${sql.join(cases, sql` `)} end`
}

const valueColumns = { uptime: 's.uptime', response: 's.last_response_ms', checked: 's.last_checked_at' } as const

/** SQL: the order of the list: by group, by column, by name. Monitors without a value or a label come last in both directions. */
export function orderSql(group: Group | undefined, { sort, order }: ListOrder, match: RawBuilder<number>) {
  const direction = sql.raw(order)
  const terms: RawBuilder<unknown>[] = []
  if (typeof group === 'string') terms.push(rank(group))
  if (typeof group === 'object') terms.push(sql`g.value is null`, sql`g.value`)
  if (sort === 'state' || sort === 'type') terms.push(sql`${rank(sort)} ${direction}`)
  else if (sort === 'match') terms.push(match)
  else if (sort !== 'name') {
    const column = sql.ref(valueColumns[sort])
    terms.push(sql`${column} is null`, sql`${column} ${direction}`)
  }
  terms.push(sort === 'name' ? sql`m.name_key ${direction}` : sql`m.name_key`, sql`s.num`)
  return sql.join(terms)
}
