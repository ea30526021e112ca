import type { Static } from 'typebox'
import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { reasonField } from '../../contract/reason-fields.ts'
import { nullable, oneOf, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestampOrNull } from '../../lib/timestamp.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { type DbWork, execute, q, sideBySide } from '../../storage/query.ts'
import type { Failure } from '../incidents/render.ts'
import { MonitorLabels } from '../labels/schema.ts'
import { targetText } from '../monitor-settings/rules.ts'
import { settingsColumns, settingsIn } from '../monitor-settings/stored.ts'
import { emptyTotals, startOfHour, type UptimeTotals } from '../monitor-states/ledger.ts'
import { monitorStates } from '../monitor-states/state.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'
import { uptimeStatsOf } from '../uptime/compute.ts'
import { type Period, uptimeSeries } from '../uptime/read-periods.ts'
import { isUnmonitored, unknownMsIn } from '../uptime/unknown-time.ts'
import { findMonitors, monitorFilters, stateCounts } from './find.ts'

const HOURS_SHOWN = 24

const ListedMonitor = resource('ListedMonitor', {
  id: Type.String(),
  name: Type.String(),
  type: oneOf(monitorTypes),
  state: oneOf(monitorStates),
  inMaintenance: Type.Boolean({ description: 'A maintenance window covers it now' }),
  target: nullable(Type.String(), { description: 'The target: a URL, a host or host:port; null for CRON' }),
  intervalSeconds: Type.Integer(),
  labels: MonitorLabels.properties.labels,
  lastCheckedAt: nullable(Timestamp),
  lastStatusChangedAt: nullable(Timestamp),
  cause: nullable(Type.String(), {
    description: 'Why it is DOWN: the last failure of its open incident; null in other states',
  }),
  lastResponseMs: nullable(Type.Integer()),
  uptime30d: nullable(Type.Number(), {
    description: 'Uptime as a ratio from 0 to 1; null without data',
  }),
  hours: Type.String({
    minLength: HOURS_SHOWN,
    maxLength: HOURS_SHOWN,
    description:
      'One letter per hour for the last 24 hours, oldest first, with the worst state of the hour: U up, G ' +
      'degraded, D down, M maintenance, N not monitored for 5 minutes or more, P paused, - no data.',
  }),
})

/** Many groups, but still a request line that servers and proxies accept. */
const MAX_COLLAPSED_CHARS = 4_000

const ListQuery = Type.Object({
  ...monitorFilters,
  collapsed: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_COLLAPSED_CHARS,
      description: 'Groups whose monitors are left out, comma separated, as `groups` names them',
    }),
  ),
  ...pageQuery,
})

const MonitorCounts = Type.Object(
  { ...stateCounts, maintenance: Type.Integer(), total: Type.Integer() },
  { description: 'Monitors that match the search text, the type and the labels, by state' },
)

const MonitorList = resource('MonitorList', {
  ...page('MonitorList', ListedMonitor).properties,
  counts: MonitorCounts,
  groups: Type.Array(
    resource('MonitorListGroup', {
      value: Type.String({
        description: 'A state, a type, or a selector of the group such as `team=payments` or `!team`',
      }),
      total: Type.Integer(),
    }),
    { description: 'The groups in order, collapsed ones included; empty without `group`' },
  ),
})

export const getMonitorList = operation({
  id: 'getMonitorList',
  extension: true,
  method: 'GET',
  path: '/monitor-list',
  access: 'read',
  tag: 'Insight',
  summary: 'List monitors with their statistics',
  description:
    'As the dashboard shows them: filtered, sorted and grouped. By default the most urgent come first: DOWN, DEGRADED, PENDING, UP, PAUSED, each by name.',
  query: ListQuery,
  answer: { status: 200, schema: MonitorList, description: 'A page of monitors with their statistics' },
  *handle({ caller: { orgId }, installation, now }, { query }) {
    const { limit, offset } = query
    const found = yield* findMonitors(orgId, query, now, installation.transports)
    const nums = yield* found.page(offset, limit)
    return {
      data: yield* summarize(orgId, nums, found.isInMaintenance, now),
      pagination: { limit, offset, total: found.total },
      counts: found.counts,
      groups: [...found.groups],
    }
  },
})

const summaryRows = (orgId: string, nums: readonly number[]) =>
  q
    .selectFrom('monitors as m')
    .innerJoin('monitor_states as s', 's.num', 'm.num')
    .select(['m.num', 'm.id', 'm.created_at', 's.state'])
    .select([...settingsColumns, 's.last_checked_at', 's.last_status_changed_at', 's.last_response_ms'])
    .where('m.org_id', '=', orgId)
    .where('m.num', 'in', nums)

const lastFailures = (orgId: string, nums: readonly number[]) =>
  q
    .selectFrom('incidents')
    .select(['num', 'last_failure'])
    .where('org_id', '=', orgId)
    .where('num', 'in', nums)
    .where('resolved_at', 'is', null)

/** In the order of `nums`. */
function* summarize(
  orgId: string,
  nums: readonly number[],
  isInMaintenance: (num: number) => boolean,
  now: number,
): DbWork<Static<typeof ListedMonitor>[]> {
  if (nums.length === 0) return []
  const [found, incidents, hours, days, labels] = yield* sideBySide(
    execute(summaryRows(orgId, nums)),
    execute(lastFailures(orgId, nums)),
    uptimeSeries(nums, '24h', now),
    uptimeSeries(nums, '30d', now),
    labelsOf(orgId, nums),
  )
  const rows = new Map(found.map((row) => [row.num, row]))
  const causes = new Map(incidents.map(({ num, last_failure: text }) => [num, (parseStored(text) as Failure).error]))
  return nums.flatMap((num) => {
    const row = rows.get(num)
    if (row === undefined) return []
    const settings = settingsIn(row)
    return {
      id: row.id,
      name: row.name,
      type: settings.type,
      state: row.state,
      inMaintenance: isInMaintenance(num),
      target: targetText(settings),
      intervalSeconds: settings.intervalSeconds,
      labels: labels(num),
      lastCheckedAt: isoTimestampOrNull(row.last_checked_at),
      lastStatusChangedAt: isoTimestampOrNull(row.last_status_changed_at),
      ...reasonField('cause', row.state === 'DOWN' ? (causes.get(num) ?? null) : null),
      lastResponseMs: row.last_response_ms,
      uptime30d: uptimeStatsOf((days.get(num) ?? []).map(({ totals }) => totals)).uptime,
      hours: hourLetters(hours.get(num) ?? [], row.created_at, now),
    }
  })
}

/** One letter for each of the last 24 hours. */
function hourLetters(hours: readonly Period[], createdAt: number, now: number): string {
  const first = startOfHour(now) - (HOURS_SHOWN - 1) * HOUR_MS
  const known = new Map(hours.map(({ startAt, totals }) => [startAt, totals]))
  return Array.from({ length: HOURS_SHOWN }, (_, i) => {
    const [from, to] = [first + i * HOUR_MS, Math.min(first + (i + 1) * HOUR_MS, now)]
    const totals = known.get(from) ?? emptyTotals
    return letterOf(totals, unknownMsIn(totals, { from, to }, createdAt))
  }).join('')
}

/** The worst category in an hour, by the same rules as the days of status pages. */
function letterOf({ upMs, degradedMs, downMs, pausedMs, maintenanceMs }: UptimeTotals, unknownMs: number): string {
  if (downMs > 0) return 'D'
  if (degradedMs > 0) return 'G'
  if (maintenanceMs > 0) return 'M'
  if (isUnmonitored(unknownMs)) return 'N'
  if (pausedMs > upMs) return 'P'
  return upMs > 0 ? 'U' : '-'
}
