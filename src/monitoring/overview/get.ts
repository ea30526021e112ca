import { sql } from 'kysely'
import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { all, first, q, statement } from '../../storage/query.ts'
import { countsOf, stateCounts } from '../monitor-list/find.ts'
import { countMatches } from '../monitor-list/match.ts'
import { definitions, type MonitorType, monitorTypes } from '../monitor-types/definitions.ts'
import { uptimeStatsOf } from '../uptime/compute.ts'
import { uptimeSeries } from '../uptime/read-periods.ts'

/** Percentiles are computed for at most this many monitors, so that the cost does not grow with their number. */
const MAX_COMPARED = 100
const SLOWEST_SHOWN = 5
const EXPIRING_SHOWN = 20
const EXPIRING_WITHIN_MS = 30 * DAY_MS

const named = { id: Type.String(), name: Type.String() }

const Overview = resource('Overview', {
  counts: Type.Object({ ...stateCounts, total: Type.Integer() }),
  longestDown: Type.Unsafe<{ id: string; name: string; since: string } | null>({
    ...Type.Object({ ...named, since: Timestamp }),
    type: ['object', 'null'],
    description: 'The monitor with the longest ongoing outage; null if none is DOWN',
  }),
  slowest: Type.Array(resource('SlowMonitor', { ...named, type: oneOf(monitorTypes), p95Ms: Type.Number() }), {
    description:
      'At most five, slowest first, by the 95th percentile of the last 24 hours, without CRON monitors. ' +
      `With more than ${MAX_COMPARED} monitors, only the ${MAX_COMPARED} with the slowest last check are considered.`,
  }),
  expiring: Type.Array(
    resource('Expiring', { ...named, kind: oneOf(['CERTIFICATE', 'DOMAIN']), expiresAt: Timestamp }),
    { description: 'Certificates and domains that expire within 30 days or have expired: at most 20, soonest first' },
  ),
})

export const getOverview = operation({
  id: 'getOverview',
  extension: true,
  method: 'GET',
  path: '/overview',
  access: 'read',
  tag: 'Insight',
  summary: 'Get the overview',
  description: 'What the first screen of the dashboard shows.',
  answer: { status: 200, schema: Overview, description: 'The state of the monitors, and what needs attention' },
  *handle({ caller: { orgId }, now }) {
    const longest = yield* first(longestDown, { orgId })
    const expiring = yield* all(expiringSoon, { orgId, until: now + EXPIRING_WITHIN_MS })
    return {
      counts: { ...countsOf(yield* countMatches({ orgId })) },
      longestDown: longest === undefined ? null : { ...nameOf(longest), since: isoTimestamp(longest.since ?? now) },
      slowest: yield* slowestOf(orgId, now),
      expiring: expiring.map((row) => ({
        ...nameOf(row),
        kind:
          definitions[row.type as MonitorType].expiry?.of === 'domain' ? ('DOMAIN' as const) : ('CERTIFICATE' as const),
        expiresAt: isoTimestamp(row.expires_at as number),
      })),
    }
  },
})

function nameOf({ id, name }: { readonly id: string; readonly name: string }) {
  return { id, name }
}

const longestDown = statement(({ orgId }: { orgId: string }) =>
  q
    .selectFrom('monitor_states as s')
    .innerJoin('monitors as m', 'm.num', 's.num')
    .select(['m.id', 'm.name', 's.last_status_changed_at as since'])
    .where('s.org_id', '=', orgId)
    .where('s.state', '=', 'DOWN')
    .orderBy('s.last_status_changed_at')
    .orderBy('s.num')
    .limit(sql.lit(1)),
)

const expiringSoon = statement(({ orgId, until }: { orgId: string; until: number }) =>
  q
    .selectFrom('monitor_states as s')
    .innerJoin('monitors as m', 'm.num', 's.num')
    .select(['m.id', 'm.name', 'm.type', 's.cert_expires_at as expires_at'])
    .where('s.org_id', '=', orgId)
    .where('s.cert_expires_at', '<=', until)
    .orderBy('s.cert_expires_at')
    .orderBy('m.num')
    .limit(EXPIRING_SHOWN),
)

/** In order of creation: SQLite then reads the states in the order of their rows, which takes a third of the time. */
const likelySlow = statement(({ orgId }: { orgId: string }) =>
  q
    .selectFrom('monitors as m')
    .innerJoin('monitor_states as s', 's.num', 'm.num')
    .select(['m.num', 'm.id', 'm.name', 'm.type'])
    .where('m.org_id', '=', orgId)
    .where('m.type', '!=', 'CRON')
    .where('s.last_response_ms', 'is not', null)
    .orderBy('s.last_response_ms', 'desc')
    .orderBy('m.num')
    .limit(MAX_COMPARED),
)

function* slowestOf(orgId: string, now: number) {
  const rows = yield* all(likelySlow, { orgId })
  const hours = yield* uptimeSeries(
    rows.map(({ num }) => num),
    '24h',
    now,
  )
  return rows
    .flatMap((row) => {
      const { p95Ms } = uptimeStatsOf((hours.get(row.num) ?? []).map(({ totals }) => totals))
      return p95Ms === null ? [] : [{ ...nameOf(row), type: row.type as MonitorType, p95Ms }]
    })
    .sort((a, b) => b.p95Ms - a.p95Ms)
    .slice(0, SLOWEST_SHOWN)
}
