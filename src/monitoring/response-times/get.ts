import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource, Timestamp, TimestampInput } from '../../contract/schema.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/clock.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { DbWork } from '../../storage/query.ts'
import { findChecks } from '../check-results/find.ts'
import { HOME_LOCATION } from '../check-results/list.ts'
import { type Histogram, withSample } from '../monitor-states/histogram.ts'
import { emptyTotals } from '../monitor-states/ledger.ts'
import type { ResultState } from '../monitor-states/result-log.ts'
import { numOf } from '../monitors/queries.ts'
import { MonitorParams } from '../monitors/schema.ts'
import { uptimeStatsOf } from '../uptime/compute.ts'
import { exactSpan } from '../uptime/get.ts'
import { BY_HOUR_MS, type Period, periodsBetween, spans, unitOf, uptimeSeries } from '../uptime/read-periods.ts'
import { renderUptime, SpanName, unknownField, uptimeFields } from '../uptime/schema.ts'
import { withUnknownTime } from '../uptime/unknown-time.ts'

const Point = resource('ResponseTimePoint', { startAt: Timestamp, ...uptimeFields, ...unknownField })

export const getResponseTimes = operation({
  id: 'getResponseTimes',
  method: 'GET',
  path: '/monitors/:monitorId/response-times',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'Get the response times of a monitor',
  description:
    'With its uptime, by hour up to 7 days and by day beyond; by minute, 5 or 15 minutes if `from` and `to` are at ' +
    'most a day apart, for as long as check results are kept. Shares of an hour count checks instead of time; their unknown time ' +
    'is that of inconclusive checks. Periods without checks are omitted, unless they have unknown time.',
  params: MonitorParams,
  query: Type.Object({
    span: Type.Optional(Type.With(SpanName, { description: 'Default: 24h. Not together with `from` and `to`' })),
    from: Type.Optional(Type.With(TimestampInput, { description: 'Start of an exact span' })),
    to: Type.Optional(Type.With(TimestampInput, { description: 'End of the exact span. Default: now' })),
    location: Type.Optional(
      oneOf([HOME_LOCATION], { description: 'Only checks from this location. `home` is where the checker nodes run' }),
    ),
  }),
  answer: {
    status: 200,
    schema: resource('ResponseTimes', {
      span: nullable(SpanName, { description: 'Null for an exact span' }),
      stepSeconds: Type.Integer({ description: '60, 300, 900, 3600 or 86400' }),
      points: Type.Array(Point, { description: 'Oldest first' }),
    }),
    description: 'The points of a chart',
  },
  errors: ['not_found'],
  *handle({ caller, now }, { params, query }) {
    const exact = exactSpan(query, now)
    const num = yield* numOf(caller.orgId, params.monitorId)
    if (exact !== undefined) return { span: null, ...(yield* pointsBetween(num, exact, now)) }
    const { span = '24h' } = query
    const periods = (yield* uptimeSeries([num], span, now)).get(num) ?? []
    const range = { from: now - spans[span] + unitOf(span), to: now }
    const points = yield* withUnknownTime(num, periods, unitOf(span), range)
    return { span, stepSeconds: unitOf(span) / 1000, points: points.map(pointOf) }
  },
})

function pointOf({ startAt, totals, unknownMs }: Period & { readonly unknownMs: number }) {
  return { startAt: isoTimestamp(startAt), ...renderUptime(uptimeStatsOf([totals])), unknownMs }
}

function* pointsBetween(num: number, range: { readonly from: number; readonly to: number }, now: number) {
  const stepMs = stepOf(range, now)
  const until = { from: Math.floor(range.from / stepMs) * stepMs, to: Math.min(range.to, now) }
  const periods =
    stepMs < HOUR_MS
      ? yield* periodsOfChecks(num, until, stepMs)
      : yield* withUnknownTime(num, yield* periodsBetween(num, stepMs, until, now), stepMs, until)
  return { stepSeconds: stepMs / 1000, points: periods.map(pointOf) }
}

/** At most 120 points of checks. */
function stepOf({ from, to }: { readonly from: number; readonly to: number }, now: number): number {
  const lengthMs = to - from
  if (lengthMs <= 2 * HOUR_MS) return MINUTE_MS
  if (lengthMs <= 6 * HOUR_MS) return 5 * MINUTE_MS
  if (lengthMs <= DAY_MS) return 15 * MINUTE_MS
  return from >= now - BY_HOUR_MS ? HOUR_MS : DAY_MS
}

/** A day of checks every 30 seconds, with some by hand. */
const MAX_CHECKS = 3_000

function* periodsOfChecks(
  num: number,
  range: { readonly from: number; readonly to: number },
  stepMs: number,
): DbWork<readonly (Period & { readonly unknownMs: number })[]> {
  const { checks } = yield* findChecks(num, { ...range, state: undefined }, { limit: MAX_CHECKS, offset: 0 })
  const steps = Map.groupBy(checks.toReversed(), ({ at }) => Math.floor(at / stepMs) * stepMs)
  return [...steps].map(([startAt, found]) => {
    const part = (state: ResultState) => (stepMs * found.filter((check) => check.state === state).length) / found.length
    const answered = found.flatMap(({ state, responseMs }) =>
      state === 'DOWN' || state === 'INCONCLUSIVE' || responseMs === null ? [] : [responseMs],
    )
    const totals = {
      ...emptyTotals,
      upMs: Math.round(part('UP') + part('DEGRADED')),
      degradedMs: Math.round(part('DEGRADED')),
      downMs: Math.round(part('DOWN')),
      checks: found.filter(({ state }) => state !== 'INCONCLUSIVE').length,
      failures: found.filter(({ state }) => state === 'DOWN').length,
      responses: answered.reduce((sum: Histogram, ms) => withSample(sum, ms), []),
    }
    return { startAt, totals, unknownMs: Math.round(part('INCONCLUSIVE')) }
  })
}
