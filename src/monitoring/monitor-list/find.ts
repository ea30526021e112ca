import { sql } from 'kysely'
import type { Static } from 'typebox'
import Type from 'typebox'
import { ApiError, type Fault, faultFor, invalid } from '../../contract/errors.ts'
import { defaulted, documented, oneOf } from '../../contract/schema.ts'
import { readSelector, SelectorText } from '../../contract/selector.ts'
import { labelKey, parseTerms, SelectorError, selectorText } from '../../lib/selector.ts'
import type { Configured } from '../../notifications/contacts/delivers.ts'
import { reason } from '../../reasons/reason.ts'
import { selectMonitors } from '../../storage/labels/select.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { uncoveredMonitors } from '../alert-coverage/find-uncovered.ts'
import { monitorsCovered } from '../maintenance-coverage/coverage.ts'
import { type MonitorState, monitorStates } from '../monitor-states/state.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'
import { uptimeRatios } from '../uptime/compute.ts'
import {
  compareGroups,
  countMatches,
  type Group,
  groupKeys,
  groupValues,
  inOrder,
  type ListOrder,
  type MatchCount,
  type Scope,
  sortKeys,
} from './match.ts'

const list = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

/** Filters and order of the monitor list. */
export const monitorFilters = {
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or the target, in any case' }),
  ),
  ids: Type.Optional(
    Type.String({ minLength: 1, maxLength: 5000, description: 'At most 100 ids of monitors, comma separated' }),
  ),
  state: list('States, comma separated'),
  type: list('Types, comma separated'),
  labels: Type.Optional(SelectorText),
  maintenance: Type.Optional(oneOf(['true'], { description: 'Only monitors that are in maintenance now' })),
  uncovered: Type.Optional(
    oneOf(['true'], { description: 'Only monitors whose outages nobody would be alerted of; see `/alert-coverage`' }),
  ),
  sort: defaulted(
    oneOf(sortKeys, {
      description:
        'The column to sort by; equal monitors by name. `state` is by urgency: DOWN, DEGRADED, PENDING, UP, PAUSED. ' +
        'Monitors without a value come last. More than 1,000 monitors are sorted by an uptime that is up to an hour old. ' +
        '`match` needs `q`: names that equal it come first, then names ' +
        'that begin with it, then names with a word that does.',
    }),
    'state',
  ),
  order: defaulted(oneOf(['asc', 'desc']), 'asc'),
  group: Type.Optional(
    documented(
      Type.String({
        maxLength: 40,
        description: '`state`, `type` or `label:KEY`. Groups come before the sort column.',
      }),
      { pattern: `^(${groupKeys.join('|')}|label:${labelKey.source.slice(1, -1)})$` },
    ),
  ),
}

const Filters = Type.Object(monitorFilters)
export type MonitorFilters = Static<typeof Filters>

/** How many monitors are in each state, in answers. */
export const stateCounts = {
  up: Type.Integer(),
  degraded: Type.Integer(),
  down: Type.Integer(),
  paused: Type.Integer(),
  pending: Type.Integer(),
}

type StateCounts = Record<Lowercase<MonitorState> | 'total', number>

export interface FoundMonitors {
  /** Without those of collapsed groups. */
  readonly total: number
  /** The groups in order, with collapsed ones; empty without `group`. */
  readonly groups: readonly { readonly value: string; readonly total: number }[]
  /** By search text and type only, so that every state filter shows what it would list. */
  readonly counts: StateCounts & { readonly maintenance: number }
  readonly isInMaintenance: (num: number) => boolean
  /** The numbers of the monitors of a page, in order. */
  page(offset: number, limit: number): DbWork<readonly number[]>
}

/** Finds and counts the monitors that the filters match, and their order. Reads only the pages that are asked for. */
export function* findMonitors(
  orgId: string,
  filters: MonitorFilters & { readonly collapsed?: string | undefined },
  now: number,
  configured: Configured,
): DbWork<FoundMonitors> {
  const faults: Fault[] = []
  const states = parseList('state', filters.state, monitorStates, faults)
  const types = parseList('type', filters.type, monitorTypes, faults)
  const group = parseGroup(filters.group, faults)
  const ids = filters.ids?.split(',')
  if (ids !== undefined && ids.length > MAX_IDS) faults.push({ path: 'ids', message: `must be at most ${MAX_IDS} ids` })
  if (filters.sort === 'match' && filters.q === undefined) faults.push({ path: 'sort', message: '"match" needs q' })
  if (filters.sort === 'match' && group !== undefined)
    faults.push({ path: 'group', message: 'cannot be combined with sort=match' })
  const collapsed = parseCollapsed(filters.collapsed, group, faults)
  if (faults.length > 0) throw invalid(faults)
  const { maintenance, sort, order } = filters
  const covered = yield* monitorsCovered(orgId, now)
  const searched: Scope = {
    orgId,
    types,
    words: filters.q,
    labels: yield* labelScope(orgId, filters.labels),
    only: filters.uncovered && ((yield* uncoveredMonitors(orgId, configured)) ?? sql<boolean>`false`),
    group,
    ids,
  }
  const inMaintenance: Scope = { ...searched, ...(covered !== 'all' && { nums: covered }) }
  const all = yield* countMatches(searched)
  const maintained = covered === 'all' ? all : yield* countMatches(inMaintenance)
  const scope: Scope = { ...(maintenance === undefined ? searched : inMaintenance), states }
  const matches = (maintenance === undefined ? all : maintained).filter((row) => states?.includes(row.state) ?? true)
  const groups = group === undefined ? [] : groupsOf(matches, group)
  const hidden = groups.filter(({ value }) => collapsed.has(value))
  const total = sumOf(matches) - hidden.reduce((sum, { total: its }) => sum + its, 0)
  const listed = { ...scope, collapsed: hidden.map(({ key }) => key) }
  return {
    total,
    groups: groups.map(({ value, total: its }) => ({ value, total: its })),
    counts: { ...countsOf(all), maintenance: sumOf(maintained) },
    isInMaintenance: (num) => covered === 'all' || covered.has(num),
    page: (offset, limit) => numsOfPage(listed, total, { sort, order }, { offset, limit }, now),
  }
}

function* labelScope(orgId: string, text: string | undefined): DbWork<Scope['labels']> {
  if (text === undefined) return undefined
  const selector = readSelector(text, 'labels')
  return { selector, selection: yield* selectMonitors(orgId, selector) }
}

const MAX_IDS = 100
const LABEL_PREFIX = 'label:'
/** Of a label: more would be no help to readers, and each is a query. */
const MAX_GROUPS = 200

function parseGroup(text: string | undefined, faults: Fault[]): Group | undefined {
  if (text === undefined) return undefined
  const known = groupKeys.find((key) => key === text)
  if (known !== undefined) return known
  const label = text.startsWith(LABEL_PREFIX) ? text.slice(LABEL_PREFIX.length) : ''
  if (labelKey.test(label)) return { label }
  faults.push({ path: 'group', message: `must be ${groupKeys.join(', ')} or label:KEY` })
  return undefined
}

/** Groups by label are named by a selector that matches them, such as `team=payments` or `!team`. */
function groupName(group: Group, key: string | null): string {
  if (typeof group === 'string') return key ?? ''
  const { label } = group
  return selectorText([
    key === null ? { key: label, operator: 'absent' } : { key: label, operator: 'in', values: [key] },
  ])
}

function parseCollapsed(text: string | undefined, group: Group | undefined, faults: Fault[]): ReadonlySet<string> {
  if (text === undefined || group === undefined) return new Set()
  if (typeof group === 'string') return new Set(parseList('collapsed', text, groupValues[group], faults))
  try {
    return new Set(parseTerms(text, MAX_GROUPS).map((term) => selectorText([term])))
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    faults.push({ path: 'collapsed', message: `must be groups as in the answer: ${error.message}` })
    return new Set()
  }
}

/** In order of display. */
function groupsOf(matches: readonly MatchCount[], group: Group) {
  const byKey = Map.groupBy(matches, ({ group: key }) => key)
  if (typeof group === 'object' && byKey.size > MAX_GROUPS) {
    const why = reason('too_many_values', { label: group.label, values: byKey.size.toLocaleString('en') })
    throw new ApiError('validation_error', why, { details: [faultFor('group', why)] })
  }
  return [...byKey]
    .map(([key, rows]) => ({ key, value: groupName(group, key), total: sumOf(rows) }))
    .sort((a, b) => compareGroups(group, a.key, b.key))
}

function sumOf(matches: readonly MatchCount[]): number {
  return matches.reduce((sum, { count }) => sum + count, 0)
}

export function countsOf(rows: readonly MatchCount[]): StateCounts {
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

/** Longer lists are sorted by the stored uptime, which is up to an hour old: reading all days would take too long. */
export const EXACT_UP_TO = 1_000

interface Page {
  readonly offset: number
  readonly limit: number
}

/** The numbers of the monitors of a page, in order; `total` is how many there are on all pages. */
function* numsOfPage(
  scope: Scope,
  total: number,
  order: ListOrder,
  { offset, limit }: Page,
  now: number,
): DbWork<readonly number[]> {
  if (offset >= total) return []
  if (order.sort === 'uptime' && total <= EXACT_UP_TO) {
    return (yield* numsByUptime(scope, order, now)).slice(offset, offset + limit)
  }
  const rows = yield* execute(inOrder(scope, order).limit(limit).offset(offset))
  return rows.map(({ num }) => num)
}

/** All monitors by group and the uptime that is shown. */
function* numsByUptime(scope: Scope, { order }: ListOrder, now: number): DbWork<number[]> {
  const rows = yield* execute(inOrder(scope, { sort: 'name', order: 'asc' }))
  const uptimes = yield* uptimeRatios(
    rows.map(({ num }) => num),
    '30d',
    now,
  )
  const direction = order === 'desc' ? -1 : 1
  // Sorting is stable: equal ones stay in order of name.
  const compare = (a: number, b: number) => {
    const [one, other] = [uptimes.get(a) ?? null, uptimes.get(b) ?? null]
    if (one === null || other === null) return (one === null ? 1 : 0) - (other === null ? 1 : 0)
    return direction * (one - other)
  }
  const groups = Map.groupBy(rows, ({ group }) => group)
  return [...groups.values()].flatMap((members) => members.map(({ num }) => num).sort(compare))
}
