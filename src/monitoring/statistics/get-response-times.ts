import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { defaulted, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { numOf } from '../monitors/queries.ts'
import { MonitorParams } from '../monitors/schema.ts'
import { spans, uptimeSeries, uptimeStatsOf } from './uptime.ts'
import { renderUptime, SpanName, uptimeFields } from './uptime-schema.ts'

/** Where the checker nodes run. There are no other locations yet. */
export const HOME_LOCATION = 'home'

const Point = resource('ResponseTimePoint', { startAt: Timestamp, ...uptimeFields })

export const getResponseTimes = operation({
  id: 'getResponseTimes',
  method: 'GET',
  path: '/monitors/:monitorId/response-times',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'Get the response times of a monitor',
  description: 'With its uptime, by hour up to 7 days and by day beyond. Hours and days without checks are omitted.',
  params: MonitorParams,
  query: Type.Object({
    span: defaulted(SpanName, '24h'),
    location: Type.Optional(
      oneOf([HOME_LOCATION], { description: 'Only checks from this location. `home` is where the checker nodes run' }),
    ),
  }),
  answer: {
    status: 200,
    schema: resource('ResponseTimes', {
      span: SpanName,
      stepSeconds: Type.Integer({ description: '3600 or 86400' }),
      points: Type.Array(Point, { description: 'Oldest first' }),
    }),
    description: 'The points of a chart',
  },
  errors: ['not_found'],
  *handle({ caller, now }, { params, query: { span } }) {
    const num = yield* numOf(caller.orgId, params.monitorId)
    const periods = (yield* uptimeSeries([num], span, now)).get(num) ?? []
    return {
      span,
      stepSeconds: spans[span] <= spans['7d'] ? 3600 : 86_400,
      points: periods.map(({ startAt, totals }) => ({
        startAt: isoTimestamp(startAt),
        ...renderUptime(uptimeStatsOf([totals])),
      })),
    }
  },
})
