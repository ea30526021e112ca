import { monitorTypes } from '../monitor-settings/schema.ts'
import { type MonitorState, monitorStates } from '../monitor-states/state.ts'

export const sortKeys = ['state', 'name', 'type', 'uptime', 'response', 'checked'] as const
type SortKey = (typeof sortKeys)[number]

export const groupKeys = ['state', 'type'] as const
export type GroupKey = (typeof groupKeys)[number]

/** What the order of the list depends on. */
export interface SortableMonitor {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly type: string
  readonly state: MonitorState
  readonly lastCheckedAt: number | null
  readonly lastResponseMs: number | null
}

export interface SortOrder {
  readonly sort: SortKey
  readonly isDescending: boolean
  readonly group: GroupKey | undefined
  /** Only for `sort: 'uptime'`. */
  readonly uptimes: ReadonlyMap<number, number | null>
}

const urgency: Readonly<Record<MonitorState, number>> = { DOWN: 0, DEGRADED: 1, PENDING: 2, UP: 3, PAUSED: 4 }
const typeRanks = new Map<string, number>(monitorTypes.map((type, rank) => [type, rank]))

type SortValue = string | number | null

function sortValue(monitor: SortableMonitor, name: string, { sort, uptimes }: SortOrder): SortValue {
  switch (sort) {
    case 'state':
      return urgency[monitor.state]
    case 'name':
      return name
    case 'type':
      return rankOf(monitor, 'type')
    case 'uptime':
      return uptimes.get(monitor.num) ?? null
    case 'response':
      return monitor.lastResponseMs
    case 'checked':
      return monitor.lastCheckedAt
  }
}

function rankOf({ state, type }: SortableMonitor, group: GroupKey | undefined): number {
  if (group === undefined) return 0
  return group === 'state' ? urgency[state] : (typeRanks.get(type) ?? typeRanks.size)
}

/** By group, then by the chosen column, then by name and id. Monitors without a value come last in both directions. */
export function sortMonitors<T extends SortableMonitor>(monitors: readonly T[], order: SortOrder): readonly T[] {
  const direction = order.isDescending ? -1 : 1
  return monitors
    .map((monitor) => {
      const name = foldCase(monitor.name)
      return { monitor, name, rank: rankOf(monitor, order.group), value: sortValue(monitor, name, order) }
    })
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        compareValues(a.value, b.value, direction) ||
        compare(a.name, b.name) ||
        compare(a.monitor.id, b.monitor.id),
    )
    .map(({ monitor }) => monitor)
}

function compareValues(a: SortValue, b: SortValue, direction: number): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return direction * compare(a, b)
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** For comparing names. Not done by the database, because the engines differ in lower case and in sort order. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

export interface MonitorGroup {
  /** A state or a type. */
  readonly value: string
  readonly total: number
}

/** The groups of sorted monitors, in order. */
export function groupsOf(sorted: readonly SortableMonitor[], group: GroupKey): readonly MonitorGroup[] {
  const totals = new Map<string, number>()
  for (const monitor of sorted) totals.set(monitor[group], (totals.get(monitor[group]) ?? 0) + 1)
  return [...totals].map(([value, total]) => ({ value, total }))
}

export type StateCounts = Record<Lowercase<MonitorState> | 'maintenance' | 'total', number>

export function countStates(
  monitors: readonly SortableMonitor[],
  isInMaintenance: (num: number) => boolean,
): StateCounts {
  const counts: StateCounts = { up: 0, degraded: 0, down: 0, paused: 0, pending: 0, maintenance: 0, total: 0 }
  for (const { num, state } of monitors) {
    counts[state.toLowerCase() as Lowercase<MonitorState>] += 1
    if (isInMaintenance(num)) counts.maintenance += 1
    counts.total += 1
  }
  return counts
}

export const groupValues: Readonly<Record<GroupKey, readonly string[]>> = { state: monitorStates, type: monitorTypes }
