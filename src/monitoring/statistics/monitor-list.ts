import type { Static } from 'typebox'
import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { type Fault, invalid } from '../../contract/errors.ts'
import { defaulted, nullable, oneOf, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { all, type DbWork, execute, q, statement } from '../../storage/query.ts'
import { targetText } from '../monitor-settings/rules.ts'
import { monitorTypes } from '../monitor-settings/schema.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { startOfHour, type UptimeTotals } from '../monitor-states/ledger.ts'
import { type MonitorState, monitorStates } from '../monitor-states/state.ts'
import { type Period, uptimeSeries, uptimeStatsOf } from './uptime.ts'

const HOURS_SHOWN = 24

const MonitorSummary = resource('BoardMonitor', {
  id: Type.String(),
  name: Type.String(),
  type: oneOf(monitorTypes),
  state: oneOf(monitorStates),
  target: nullable(Type.String(), { description: 'What is watched: an address, a host or host:port; null for CRON' }),
  intervalSeconds: Type.Integer(),
  lastCheckedAt: nullable(Timestamp),
  lastStatusChangedAt: nullable(Timestamp),
  lastResponseMs: nullable(Type.Integer()),
  uptime30d: nullable(Type.Number(), {
    description: 'Up time over up and down time, 0 to 1; null where nothing is known',
  }),
  hours: Type.String({
    minLength: HOURS_SHOWN,
    maxLength: HOURS_SHOWN,
    description:
      'A letter for each of the last 24 hours, the oldest first, the running one last: the worst that happened in it. ' +
      'U up, G degraded, D down, M maintenance, P paused, - nothing known.',
  }),
})

const ListQuery = Type.Object({
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or the target, in any case' }),
  ),
  state: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'States, comma separated' })),
  type: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Types, comma separated' })),
  limit: defaulted(pageQuery.limit, 50),
  offset: pageQuery.offset,
})

export const listBoard = appOperation('listBoard', {
  method: 'GET',
  path: '/monitors',
  access: 'read',
  tag: 'Insight',
  summary: 'List monitors as the dashboard shows them',
  description: 'What needs attention comes first: DOWN, DEGRADED, PENDING, UP, PAUSED, each by name.',
  query: ListQuery,
  answer: { status: 200, schema: page('Board', MonitorSummary), description: 'A page of monitors and how they fared' },
  *handle({ caller: { orgId }, now }, { query }) {
    const { limit, offset } = query
    const found = yield* matching(orgId, query)
    const nums = found.slice(offset, offset + limit).map(({ num }) => num)
    return { data: yield* summariesOf(orgId, nums, now), pagination: { limit, offset, total: found.length } }
  },
})

/** What the order of the list depends on. */
interface Candidate {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly state: MonitorState
}

const candidates = (orgId: string) =>
  q
    .selectFrom('monitors as m')
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'm.num').onRef('s.org_id', '=', 'm.org_id'))
    .select(['m.num', 'm.id', 'm.name', 's.state'])
    .where('m.org_id', '=', orgId)

const allOf = statement(({ orgId }: { orgId: string }) => candidates(orgId))

/** All matches, in order. Names are compared here, because the engines differ in lower case and in sort order. */
function* matching(orgId: string, { q: words, state, type }: Static<typeof ListQuery>): DbWork<readonly Candidate[]> {
  const faults: Fault[] = []
  const states = commaSeparated('state', state, monitorStates, faults)
  const types = commaSeparated('type', type, monitorTypes, faults)
  if (faults.length > 0) throw invalid(faults)
  if (words === undefined && states === undefined && types === undefined) {
    return inOrder(yield* all(allOf, { orgId }))
  }
  let query = candidates(orgId)
  if (states !== undefined) query = query.where('s.state', 'in', states)
  if (types !== undefined) query = query.where('m.type', 'in', types)
  if (words === undefined) return inOrder(yield* execute(query))
  const part = folded(words)
  const rows = yield* execute(query.select('m.rendered'))
  return inOrder(
    rows.filter(({ name, rendered: settings }) => {
      return folded(name).includes(part) || folded(targetText(parseSettings(settings)) ?? '').includes(part)
    }),
  )
}

function commaSeparated<T extends string>(
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

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

const urgency: Readonly<Record<MonitorState, number>> = { DOWN: 0, DEGRADED: 1, PENDING: 2, UP: 3, PAUSED: 4 }

function inOrder(rows: readonly Candidate[]): readonly Candidate[] {
  return rows
    .map((row) => ({ row, rank: urgency[row.state], name: folded(row.name) }))
    .sort((a, b) => a.rank - b.rank || compared(a.name, b.name) || compared(a.row.id, b.row.id))
    .map(({ row }) => row)
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const summaryRows = (orgId: string, nums: readonly number[]) =>
  candidates(orgId)
    .select(['m.type', 'm.rendered', 's.last_checked_at', 's.last_status_changed_at', 's.last_response_ms'])
    .where('m.num', 'in', nums)

/** In the order of `nums`. */
function* summariesOf(orgId: string, nums: readonly number[], now: number): DbWork<Static<typeof MonitorSummary>[]> {
  if (nums.length === 0) return []
  const rows = new Map((yield* execute(summaryRows(orgId, nums))).map((row) => [row.num, row]))
  const hours = yield* uptimeSeries(nums, '24h', now)
  const days = yield* uptimeSeries(nums, '30d', now)
  return nums.flatMap((num) => {
    const row = rows.get(num)
    if (row === undefined) return []
    const settings = parseSettings(row.rendered)
    return {
      id: row.id,
      name: row.name,
      type: settings.type,
      state: row.state,
      target: targetText(settings),
      intervalSeconds: settings.intervalSeconds,
      lastCheckedAt: moment(row.last_checked_at),
      lastStatusChangedAt: moment(row.last_status_changed_at),
      lastResponseMs: row.last_response_ms,
      uptime30d: uptimeStatsOf((days.get(num) ?? []).map(({ totals }) => totals)).uptime,
      hours: hourLetters(hours.get(num) ?? [], now),
    }
  })
}

function moment(ms: number | null): string | null {
  return ms === null ? null : isoTimestamp(ms)
}

/** One letter for each of the last 24 hours. */
function hourLetters(hours: readonly Period[], now: number): string {
  const first = startOfHour(now) - (HOURS_SHOWN - 1) * HOUR_MS
  const line = new Array<string>(HOURS_SHOWN).fill('-')
  for (const { startAt, totals } of hours) {
    const at = (startAt - first) / HOUR_MS
    if (at >= 0 && at < HOURS_SHOWN) line[at] = letterOf(totals)
  }
  return line.join('')
}

/** The worst category in an hour, by the same rules as the days of status pages. */
function letterOf({ upMs, degradedMs, downMs, pausedMs, maintenanceMs }: UptimeTotals): string {
  if (downMs > 0) return 'D'
  if (degradedMs > 0) return 'G'
  if (maintenanceMs > 0) return 'M'
  if (pausedMs > upMs) return 'P'
  return upMs > 0 ? 'U' : '-'
}
