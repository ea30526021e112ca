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

/** How many monitors match the filters, by state, type and label. */
export interface MatchCount {
  readonly state: MonitorState
  /** Null if the monitors are not counted by type. */
  readonly type: string | null
  /** The value of the label that is grouped by. */
  readonly label: string | null
  readonly count: number
}

/** Consecutive monitors of the list: all of these states, types and values of a label (null: without the label). */
export interface Bucket {
  readonly state?: string
  readonly type?: string
  readonly label?: string | null
  readonly count: number
}

function isInBucket(
  { state, type, label }: Omit<Bucket, 'count'>,
  row: { readonly state: string; readonly type: string | null; readonly label: string | null },
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

/** A part of a bucket: `take` monitors after `skip`. */
export interface Slice {
  readonly bucket: Bucket
  readonly skip: number
  readonly take: number
}

/** The parts of the buckets that a page has. Buckets follow each other, and their sizes are known. */
export function slicesOf(buckets: readonly Bucket[], offset: number, limit: number): Slice[] {
  const slices: Slice[] = []
  let [skip, rest] = [offset, limit]
  for (const bucket of buckets) {
    const take = Math.min(rest, bucket.count - skip)
    if (take > 0) {
      slices.push({ bucket, skip, take })
      rest -= take
    }
    skip = Math.max(0, skip - bucket.count)
  }
  return slices
}
