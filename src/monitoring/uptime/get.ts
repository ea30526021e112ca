import Type, { type Static } from 'typebox'
import { type Fault, invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource, TimestampInput } from '../../contract/schema.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { numOf } from '../monitors/queries.ts'
import { MonitorParams } from '../monitors/schema.ts'
import { uptimeBetween, uptimeStats } from './compute.ts'
import { type Span, spans, unitOf } from './read-periods.ts'
import { renderUptime, SpanName, spanNames, unknownField, uptimeFields } from './schema.ts'
import { findUnknownTime, type UnknownTime, unknownReasons } from './unknown-time.ts'

const UptimeQuery = Type.Object({
  span: Type.Optional(Type.With(SpanName, { description: 'Only this span. Not together with `from` and `to`' })),
  from: Type.Optional(Type.With(TimestampInput, { description: 'Start of one exact span' })),
  to: Type.Optional(Type.With(TimestampInput, { description: 'End of the exact span. Default: now' })),
})

export const getUptime = operation({
  id: 'getUptime',
  method: 'GET',
  path: '/monitors/:monitorId/uptime',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'Get the uptime of a monitor',
  description:
    'For the last 24 hours, 7, 30, 90 and 365 days, or for one exact span. Uptime is up time divided by up and down time; ' +
    'paused time and maintenance are left out. Hours at the edges of an exact span count in proportion; so do UTC days if ' +
    'the span begins more than 7 days ago.',
  params: MonitorParams,
  query: UptimeQuery,
  answer: {
    status: 200,
    schema: resource('UptimeList', {
      data: Type.Array(
        resource('Uptime', {
          span: nullable(SpanName, { description: 'Null for an exact span' }),
          ...uptimeFields,
          ...unknownField,
          unknownReasons: Type.Array(
            Type.Object({ reason: oneOf(unknownReasons), ms: Type.Number({ description: 'How long' }) }),
            {
              description:
                'INCONCLUSIVE: problems of Pharos itself, estimated from the checks that are kept. NOT_RUNNING: the rest',
            },
          ),
          uptimeAtLeast: nullable(Type.Number(), { description: 'The uptime if it was down in all of this time' }),
          uptimeAtMost: nullable(Type.Number(), { description: 'The uptime if it was up in all of this time' }),
        }),
      ),
    }),
    description: 'One entry per span',
  },
  errors: ['not_found'],
  *handle({ caller, now }, { params, query }) {
    const exact = exactSpan(query, now)
    const num = yield* numOf(caller.orgId, params.monitorId)
    if (exact !== undefined) {
      const stats = yield* uptimeBetween(num, exact.from, exact.to, now)
      const unknown = yield* findUnknownTime(num, stats.totals, exact.from, Math.min(exact.to, now))
      return { data: [{ span: null, ...renderUptime(stats), ...unknown }] }
    }
    const data: ({ span: Span } & ReturnType<typeof renderUptime> & UnknownTime)[] = []
    for (const span of query.span === undefined ? spanNames : [query.span]) {
      const stats = yield* uptimeStats(num, span, now)
      const [unitMs, from] = [unitOf(span), now - spans[span]]
      const unknown = yield* findUnknownTime(num, stats.totals, Math.floor(from / unitMs) * unitMs, now)
      data.push({ span, ...renderUptime(stats), ...unknown })
    }
    return { data }
  },
})

/** Of `from` and `to`; undefined without them. */
export function exactSpan({ span, from: fromText, to: toText }: Partial<Static<typeof UptimeQuery>>, now: number) {
  if (fromText === undefined && toText === undefined) return undefined
  const from = fromText === undefined ? undefined : parseTimestamp(fromText)
  const to = toText === undefined ? now : parseTimestamp(toText)
  const faults: Fault[] = []
  if (span !== undefined) faults.push({ path: 'span', message: 'cannot be combined with from and to' })
  if (from === undefined) faults.push({ path: 'from', message: 'is required with to' })
  else if (toText !== undefined && to <= from) faults.push({ path: 'to', message: 'must be after from' })
  if (from === undefined || faults.length > 0) throw invalid(faults)
  return { from, to }
}
