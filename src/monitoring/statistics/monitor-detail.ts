import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { defaulted, nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import { MonitorParams } from '../monitors/schema.ts'
import {
  recentResults,
  type Span,
  spans,
  type UptimeStats,
  uptimeSeries,
  uptimeStats,
  uptimeStatsOf,
} from './uptime.ts'

const spanNames = Object.keys(spans) as Span[]
const SpanName = oneOf(spanNames)
const Share = nullable(Type.Number(), {
  description: 'Uptime as a ratio from 0 to 1; null without data',
})
const Milliseconds = nullable(Type.Number())

const fields = {
  uptime: Share,
  upMs: Type.Number(),
  degradedMs: Type.Number({ description: 'Degraded time, which is part of the time up' }),
  downMs: Type.Number(),
  pausedMs: Type.Number(),
  maintenanceMs: Type.Number(),
  checks: Type.Number(),
  failures: Type.Number(),
  p50Ms: Milliseconds,
  p95Ms: Milliseconds,
}

const common = { method: 'GET', access: 'read', tag: 'Insight', errors: ['not_found'] } as const

const numberOf = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', id),
)

function* numOf(orgId: string, id: string): DbWork<number> {
  const row = yield* first(numberOf, { orgId, id })
  if (row === undefined) throw notFound('monitor')
  return row.num
}

function rendered({ uptime, totals, p50Ms, p95Ms }: UptimeStats) {
  const { responses: _responses, ...rest } = totals
  return { uptime, ...rest, p50Ms, p95Ms }
}

export const getUptime = appOperation('getUptime', {
  ...common,
  path: '/monitors/:monitorId/uptime',
  summary: 'Get the uptime of a monitor',
  params: MonitorParams,
  answer: {
    status: 200,
    schema: resource('UptimeList', { data: Type.Array(resource('Uptime', { span: SpanName, ...fields })) }),
    description: 'For periods that end now',
  },
  *handle({ caller, now }, { params }) {
    const num = yield* numOf(caller.orgId, params.monitorId)
    const data = []
    for (const span of spanNames) data.push({ span, ...rendered(yield* uptimeStats(num, span, now)) })
    return { data }
  },
})

const Point = resource('SeriesPoint', { startAt: Timestamp, ...fields })

export const getSeries = appOperation('getSeries', {
  ...common,
  path: '/monitors/:monitorId/series',
  summary: 'Get the response times and the uptime of a monitor over time',
  description: 'By hour up to 7 days, by day beyond. Hours and days without checks are omitted.',
  params: MonitorParams,
  query: Type.Object({ span: defaulted(SpanName, '24h') }),
  answer: {
    status: 200,
    schema: resource('Series', {
      span: SpanName,
      stepSeconds: Type.Integer(),
      points: Type.Array(Point, { description: 'Oldest first' }),
    }),
    description: 'The points of the chart',
  },
  *handle({ caller, now }, { params, query: { span } }) {
    const num = yield* numOf(caller.orgId, params.monitorId)
    const periods = (yield* uptimeSeries([num], span, now)).get(num) ?? []
    return {
      span,
      stepSeconds: spans[span] <= spans['7d'] ? 3600 : 86_400,
      points: periods.map(({ startAt, totals }) => ({
        startAt: isoTimestamp(startAt),
        ...rendered(uptimeStatsOf([totals])),
      })),
    }
  },
})

export const listResults = appOperation('listResults', {
  ...common,
  path: '/monitors/:monitorId/results',
  summary: 'List the latest checks of a monitor',
  params: MonitorParams,
  answer: {
    status: 200,
    schema: resource('ResultList', {
      data: Type.Array(
        resource('Result', {
          at: Timestamp,
          state: oneOf(['UP', 'DEGRADED', 'DOWN']),
          responseMs: Milliseconds,
          error: nullable(Type.String()),
        }),
      ),
    }),
    description: 'About the last 30, newest first',
  },
  *handle({ caller }, { params }) {
    const results = yield* recentResults(yield* numOf(caller.orgId, params.monitorId))
    return {
      data: results.map(({ at, state, responseMs, error = null }) => {
        return { at: isoTimestamp(at), state, responseMs, error }
      }),
    }
  },
})

const beats = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .selectFrom('heartbeats')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .orderBy('id', 'desc')
    .limit(100),
)

export const listHeartbeats = appOperation('listHeartbeats', {
  ...common,
  path: '/monitors/:monitorId/heartbeats',
  summary: 'List the latest heartbeats of a CRON monitor',
  params: MonitorParams,
  answer: {
    status: 200,
    schema: resource('HeartbeatList', {
      data: Type.Array(
        resource('Heartbeat', {
          at: Timestamp,
          signal: oneOf(['success', 'start', 'fail', 'log', 'exit']),
          exitCode: nullable(Type.Integer()),
          rid: nullable(Type.String(), { description: 'Pairs a start with its end' }),
          durationMs: nullable(Type.Integer()),
          body: nullable(Type.String()),
        }),
      ),
    }),
    description: 'At most 100, newest first',
  },
  *handle({ caller: { orgId } }, { params }) {
    const rows = yield* all(beats, { orgId, num: yield* numOf(orgId, params.monitorId) })
    return {
      data: rows.map((row) => ({
        at: isoTimestamp(row.at),
        signal: row.signal as 'success',
        exitCode: row.exit_code,
        rid: row.rid,
        durationMs: row.duration_ms,
        body: row.body,
      })),
    }
  },
})
