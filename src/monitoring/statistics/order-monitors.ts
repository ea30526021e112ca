import { type MonitorState, monitorStates } from '../monitor-states/state.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'

export const sortKeys = ['state', 'name', 'type', 'uptime', 'response', 'checked', 'match'] as const
export type SortKey = (typeof sortKeys)[number]

export const groupKeys = ['state', 'type'] as const
export type GroupKey = (typeof groupKeys)[number]

export const groupValues: Readonly<Record<GroupKey, readonly string[]>> = { state: monitorStates, type: monitorTypes }

export interface ListOrder {
  readonly sort: SortKey
  readonly order: 'asc' | 'desc'
  /** Groups come before the sort column, always in the same order. */
  readonly group?: GroupKey | LabelGroup | undefined
}

/** Groups by the value of a label; the values are those of the monitors. */
export interface LabelGroup {
  readonly label: string
}

/** The values of a state or type in order of display: states by urgency. */
const displayOrder: Readonly<Record<GroupKey, readonly string[]>> = {
  state: ['DOWN', 'DEGRADED', 'PENDING', 'UP', 'PAUSED'] satisfies MonitorState[],
  type: monitorTypes,
}

/** The states and types that divide the list, in order: first the group, then the column, if it is one of them. */
export function dividers({ group, sort, order }: ListOrder): { key: GroupKey; values: readonly string[] }[] {
  const found: { key: GroupKey; values: readonly string[] }[] = []
  if (typeof group === 'string') found.push({ key: group, values: displayOrder[group] })
  if ((sort === 'state' || sort === 'type') && sort !== group) {
    found.push({ key: sort, values: order === 'desc' ? displayOrder[sort].toReversed() : displayOrder[sort] })
  }
  return found
}
