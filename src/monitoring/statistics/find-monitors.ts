import type { Static } from 'typebox'
import Type from 'typebox'
import { type Fault, invalid } from '../../contract/errors.ts'
import { defaulted, oneOf } from '../../contract/schema.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { monitorsCovered } from '../maintenance-coverage/coverage.ts'
import { monitorTypes } from '../monitor-settings/schema.ts'
import { type MonitorState, monitorStates } from '../monitor-states/state.ts'
import { type Bucket, bucketsOf, countMatches, numsIn, type Scope } from './match-monitors.ts'
import { groupKeys, groupValues, sortKeys } from './order-monitors.ts'
import { EXACT_UP_TO, isLive, numsByLiveValue } from './sort-live-values.ts'

const list = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

/** Filters and order of the monitor list. */
export const monitorFilters = {
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or the target, in any case' }),
  ),
  state: list('States, comma separated'),
  type: list('Types, comma separated'),
  maintenance: Type.Optional(oneOf(['true'], { description: 'Only monitors that are in maintenance now' })),
  sort: defaulted(
    oneOf(sortKeys, {
      description:
        'The column to sort by; equal monitors by name. `state` is by urgency: DOWN, DEGRADED, PENDING, UP, PAUSED. ' +
        'Monitors without a value come last. More than 1,000 monitors are sorted by `uptime`, `response` and `checked` ' +
        'with values that are up to 15 minutes old.',
    }),
    'state',
  ),
  order: defaulted(oneOf(['asc', 'desc']), 'asc'),
  group: Type.Optional(oneOf(groupKeys, { description: 'Groups come before the sort column' })),
}

const Filters = Type.Object(monitorFilters)
export type MonitorFilters = Static<typeof Filters>

type StateCounts = Record<Lowercase<MonitorState> | 'maintenance' | 'total', number>

export interface FoundMonitors {
  /** Without those of collapsed groups. */
  readonly total: number
  /** The groups in order, with collapsed ones; empty without `group`. */
  readonly groups: readonly { readonly value: string; readonly total: number }[]
  /** By search text and type only, so that every state filter shows what it would list. */
  readonly counts: StateCounts
  readonly isInMaintenance: (num: number) => boolean
  /** The numbers of the monitors of a page, in order. */
  page(offset: number, limit: number): DbWork<readonly number[]>
}

/** Finds and counts the monitors that the filters match, and their order. Reads only the pages that are asked for. */
export function* findMonitors(
  orgId: string,
  filters: MonitorFilters & { readonly collapsed?: string | undefined },
  now: number,
): DbWork<FoundMonitors> {
  const faults: Fault[] = []
  const states = parseList('state', filters.state, monitorStates, faults)
  const types = parseList('type', filters.type, monitorTypes, faults)
  const { group, maintenance } = filters
  const collapsed =
    group === undefined ? undefined : parseList('collapsed', filters.collapsed, groupValues[group], faults)
  if (faults.length > 0) throw invalid(faults)
  const covered = yield* monitorsCovered(orgId, now)
  const searched: Scope = { orgId, types, words: filters.q }
  const inMaintenance: Scope = { ...searched, ...(covered !== 'all' && { nums: covered }) }
  const all = yield* countMatches(searched)
  const maintained = covered === 'all' ? all : yield* countMatches(inMaintenance)
  const scope: Scope = { ...(maintenance === undefined ? searched : inMaintenance), states }
  const matches = (maintenance === undefined ? all : maintained).filter((row) => states?.includes(row.state) ?? true)
  const buckets = bucketsOf(matches, filters)
  const listed = buckets.filter(
    (bucket) => group === undefined || collapsed?.includes(bucket[group] as string) !== true,
  )
  const total = listed.reduce((sum, bucket) => sum + bucket.count, 0)
  return {
    total,
    groups: group === undefined ? [] : groupsOf(buckets, group),
    counts: { ...countsOf(all), maintenance: maintained.reduce((sum, { count }) => sum + count, 0) },
    isInMaintenance: (num) => covered === 'all' || covered.has(num),
    *page(offset, limit) {
      if (isLive(filters.sort) && total <= EXACT_UP_TO) {
        return (yield* numsByLiveValue(scope, listed, filters, now)).slice(offset, offset + limit)
      }
      return yield* pageOf(scope, listed, filters, offset, limit)
    },
  }
}

/** Buckets follow each other, and their sizes are known: only those of the page are read. */
function* pageOf(
  scope: Scope,
  buckets: readonly Bucket[],
  filters: MonitorFilters,
  offset: number,
  limit: number,
): DbWork<readonly number[]> {
  const nums: number[] = []
  let skip = offset
  for (const bucket of buckets) {
    if (nums.length >= limit) break
    if (skip < bucket.count) {
      const rows = yield* execute(
        numsIn(scope, bucket, filters)
          .limit(limit - nums.length)
          .offset(skip),
      )
      for (const { num } of rows) nums.push(num)
    }
    skip = Math.max(0, skip - bucket.count)
  }
  return nums
}

function groupsOf(buckets: readonly Bucket[], group: 'state' | 'type') {
  const totals = new Map<string, number>()
  for (const bucket of buckets) {
    const value = bucket[group] as string
    totals.set(value, (totals.get(value) ?? 0) + bucket.count)
  }
  return [...totals].map(([value, total]) => ({ value, total }))
}

function countsOf(rows: readonly { readonly state: MonitorState; readonly count: number }[]) {
  const counts = { up: 0, degraded: 0, down: 0, paused: 0, pending: 0, total: 0 }
  for (const { state, count } of rows) {
    counts[state.toLowerCase() as Lowercase<MonitorState>] += count
    counts.total += count
  }
  return counts
}

/** The values of a comma-separated parameter. */
function parseList<T extends string>(
  path: string,
  text: string | undefined,
  known: readonly T[],
  faults: Fault[],
): readonly T[] | undefined {
  if (text === undefined) return undefined
  const named = text.split(',')
  const values = known.filter((value) => named.includes(value))
  if (named.every((name) => (known as readonly string[]).includes(name))) return values
  faults.push({ path, message: `must be a comma separated list of ${known.join(', ')}` })
  return undefined
}
