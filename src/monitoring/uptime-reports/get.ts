import Type, { type Static } from 'typebox'
import { organizationWithIdOrSlug } from '../../accounts/organizations/queries.ts'
import { type Fault, invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { documented, nullable, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { readSelector, SelectorText } from '../../contract/selector.ts'
import { labelKey } from '../../lib/selector.ts'
import { parseTimeZone, TIME_ZONE_FAULT } from '../../lib/time-zone.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { selectMonitors } from '../../storage/labels/select.ts'
import { listPage } from '../../storage/list-index.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { MonitorLabels } from '../labels/schema.ts'
import { inOrder } from '../monitor-list/match.ts'
import { sumTimes, type Times, timesBetween } from '../uptime/compute.ts'
import { unknownField, uptimeFields } from '../uptime/schema.ts'

const { uptime, upMs, downMs, pausedMs, maintenanceMs } = uptimeFields
const times = { uptime, upMs, downMs, pausedMs, maintenanceMs, ...unknownField }

const ReportedMonitor = resource('ReportedMonitor', {
  id: Type.String(),
  name: Type.String(),
  labels: MonitorLabels.properties.labels,
  ...times,
})

const UptimeReport = resource('UptimeReport', {
  month: Type.String({ description: 'Such as 2026-10' }),
  timezone: Type.String({ description: 'The IANA name of the zone that the month is in' }),
  from: Timestamp,
  to: Timestamp,
  ...page('UptimeReport', ReportedMonitor).properties,
  groups: Type.Array(
    resource('ReportedGroup', {
      value: nullable(Type.String(), { description: 'The value of the label; null for monitors without it' }),
      monitors: Type.Integer(),
      ...times,
    }),
    { description: 'All monitors by their value of `groupBy`; empty without it' },
  ),
})

export const getUptimeReport = operation({
  id: 'getUptimeReport',
  method: 'GET',
  path: '/uptime-report',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'Get the uptime of a calendar month',
  description:
    'Per monitor in order of name, and per value of a label. The month is one of the time zone of the organization, or of ' +
    '`timezone`. Uptime is up time divided by up and down time; paused time and maintenance are left out. History is kept by ' +
    'UTC day: at the edges of a month in another zone, a day counts in proportion.',
  query: Type.Object({
    month: Type.Optional(
      documented(Type.String({ maxLength: 7, description: 'Year and month. Default: the current one' }), {
        pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
        examples: ['2026-10'],
      }),
    ),
    timezone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'An IANA name. Default: the time zone of the organization',
      }),
    ),
    labels: Type.Optional(SelectorText),
    groupBy: Type.Optional(
      documented(Type.String({ maxLength: 32, description: 'The key of a label' }), { pattern: labelKey.source }),
    ),
    ...pageQuery,
  }),
  answer: { status: 200, schema: UptimeReport, description: 'A page of monitors, and the groups' },
  *handle({ caller: { orgId }, now }, { query: { month: given, timezone: chosen, labels, groupBy, limit, offset } }) {
    const timezone = chosen ?? (yield* organizationWithIdOrSlug(orgId))?.timezone ?? 'UTC'
    requireValid(given, timezone, groupBy)
    const month = given ?? monthAt(now, timezone)
    const { from, to } = spanOf(month, timezone)
    const selector = labels === undefined ? undefined : readSelector(labels, 'labels')
    const scope = {
      orgId,
      labels: selector && { selector, selection: yield* selectMonitors(orgId, selector) },
    }
    const { rows: listed, total } = yield* listPage(inOrder(scope, byName), { limit, offset })
    const onPage = listed.map(({ num }) => num)
    // Groups are sums of all monitors.
    const all = groupBy === undefined ? [] : yield* execute(inOrder({ ...scope, group: { label: groupBy } }, byName))
    const nums = groupBy === undefined ? onPage : all.map(({ num }) => num)
    const timesOf = yield* timesBetween(nums, { from, to, now })
    return {
      month,
      timezone,
      from: isoTimestamp(from),
      to: isoTimestamp(to),
      data: yield* rows(orgId, onPage, timesOf),
      pagination: { limit, offset, total },
      groups: groupsOf(all, timesOf),
    }
  },
})

function requireValid(month: string | undefined, timezone: string, groupBy: string | undefined): void {
  const faults: Fault[] = []
  if (month !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    faults.push({ path: 'month', message: 'must be a month such as 2026-10' })
  if (!parseTimeZone(timezone)) faults.push({ path: 'timezone', message: TIME_ZONE_FAULT })
  if (groupBy !== undefined && !labelKey.test(groupBy))
    faults.push({ path: 'groupBy', message: 'must be the key of a label' })
  if (faults.length > 0) throw invalid(faults)
}

function monthAt(now: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(now)
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toPlainYearMonth()
    .toString()
}

const byName = { sort: 'name', order: 'asc' } as const

/** The start of the month and of the next one. */
function spanOf(month: string, timezone: string) {
  const first = Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 })
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).epochMilliseconds
  return { from: startOf(first), to: startOf(first.add({ months: 1 })) }
}

function* rows(
  orgId: string,
  nums: readonly number[],
  timesOf: ReadonlyMap<number, Times>,
): DbWork<Static<typeof ReportedMonitor>[]> {
  if (nums.length === 0) return []
  const named = yield* execute(q.selectFrom('monitors').select(['num', 'id', 'name']).where('num', 'in', nums))
  const labels: (num: number) => Readonly<Record<string, string>> = yield* labelsOf(orgId, nums)
  const byNum = new Map(named.map((row) => [row.num, row]))
  return nums.flatMap((num) => {
    const row = byNum.get(num)
    return row === undefined
      ? []
      : [{ id: row.id, name: row.name, labels: labels(num), ...sumTimes([timesOf.get(num)]) }]
  })
}

/** The monitors are in order of their groups. */
function groupsOf(all: readonly { num: number; group: string | null }[], timesOf: ReadonlyMap<number, Times>) {
  return [...Map.groupBy(all, ({ group }) => group)].map(([value, members]) => ({
    value,
    monitors: members.length,
    ...sumTimes(members.map(({ num }) => timesOf.get(num))),
  }))
}
