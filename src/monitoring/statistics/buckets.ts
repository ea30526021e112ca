import type { MonitorState } from '../monitor-states/state.ts'
import { dividers, type GroupKey, type ListOrder } from './order-monitors.ts'

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

export function isInBucket(
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
