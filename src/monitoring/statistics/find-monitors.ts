import type { Static } from 'typebox'
import Type from 'typebox'
import { type Fault, invalid } from '../../contract/errors.ts'
import { defaulted, oneOf } from '../../contract/schema.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { coverageOf, isWithin } from '../maintenance-coverage/coverage.ts'
import { targetText } from '../monitor-settings/rules.ts'
import { monitorTypes } from '../monitor-settings/schema.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { monitorStates } from '../monitor-states/state.ts'
import {
  countStates,
  foldCase,
  groupKeys,
  groupsOf,
  groupValues,
  type MonitorGroup,
  type SortableMonitor,
  type StateCounts,
  sortKeys,
  sortMonitors,
} from './sort-monitors.ts'
import { uptimeRatios } from './uptime.ts'

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
        'Monitors without a value come last.',
    }),
    'state',
  ),
  order: defaulted(oneOf(['asc', 'desc']), 'asc'),
  group: Type.Optional(oneOf(groupKeys, { description: 'Groups come before the sort column' })),
}

const Filters = Type.Object(monitorFilters)
export type MonitorFilters = Static<typeof Filters>

export interface FoundMonitors {
  /** All matches in order. */
  readonly matches: readonly SortableMonitor[]
  readonly groups: readonly MonitorGroup[]
  /** By search text and type only, so that every state filter shows what it would list. */
  readonly counts: StateCounts
  readonly isInMaintenance: (num: number) => boolean
}

/** Finds the monitors that the filters match, counts them and sorts them. */
export function* findMonitors(orgId: string, filters: MonitorFilters, now: number): DbWork<FoundMonitors> {
  const faults: Fault[] = []
  const states = parseList('state', filters.state, monitorStates, faults)
  const types = parseList('type', filters.type, monitorTypes, faults)
  if (faults.length > 0) throw invalid(faults)
  const candidates = yield* readCandidates(orgId, types, filters.q)
  const coverage = yield* coverageOf(new Set([orgId]), now, now)
  const isInMaintenance = (num: number) => isWithin(coverage(orgId, num), now)
  const isMatch = ({ num, state }: SortableMonitor) =>
    (states === undefined || states.includes(state)) && (filters.maintenance === undefined || isInMaintenance(num))
  const unsorted = candidates.filter(isMatch)
  const { sort, order, group } = filters
  const uptimes =
    sort === 'uptime'
      ? yield* uptimeRatios(
          unsorted.map(({ num }) => num),
          '30d',
          now,
        )
      : new Map<number, number | null>()
  const matches = sortMonitors(unsorted, { sort, isDescending: order === 'desc', group, uptimes })
  return {
    matches,
    groups: group === undefined ? [] : groupsOf(matches, group),
    counts: countStates(candidates, isInMaintenance),
    isInMaintenance,
  }
}

function* readCandidates(
  orgId: string,
  types: readonly string[] | undefined,
  words: string | undefined,
): DbWork<readonly SortableMonitor[]> {
  let query = q
    .selectFrom('monitors as m')
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'm.num').onRef('s.org_id', '=', 'm.org_id'))
    .select(['m.num', 'm.id', 'm.name', 'm.type', 's.state'])
    .select(['s.last_checked_at as lastCheckedAt', 's.last_response_ms as lastResponseMs'])
    .where('m.org_id', '=', orgId)
  if (types !== undefined) query = query.where('m.type', 'in', types)
  if (words === undefined) return yield* execute(query)
  const part = foldCase(words)
  const rows = yield* execute(query.select('m.rendered'))
  // JSON escapes these characters, so only text without them can be sought before parsing.
  const isPlain = !/["\\]/.test(part)
  return rows.filter(({ name, rendered }) => {
    if (foldCase(name).includes(part)) return true
    // Parsing the settings of 10,000 monitors takes most of the time of a search.
    if (isPlain && !foldCase(rendered).includes(part)) return false
    return foldCase(targetText(parseSettings(rendered)) ?? '').includes(part)
  })
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

/** Without the monitors of collapsed groups, which the list shows as a heading only. */
export function withoutCollapsed(
  { matches }: FoundMonitors,
  { group }: MonitorFilters,
  collapsed: string | undefined,
): readonly SortableMonitor[] {
  if (group === undefined || collapsed === undefined) return matches
  const faults: Fault[] = []
  const hidden = parseList('collapsed', collapsed, groupValues[group], faults)
  if (faults.length > 0) throw invalid(faults)
  return matches.filter((monitor) => hidden?.includes(monitor[group]) !== true)
}
