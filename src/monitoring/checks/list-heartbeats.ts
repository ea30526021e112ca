import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { listPage } from '../../storage/list-index.ts'
import { q } from '../../storage/query.ts'
import { numOf } from '../monitors/queries.ts'
import { MonitorParams } from '../monitors/schema.ts'

const signals = ['SUCCESS', 'START', 'FAIL', 'LOG', 'EXIT'] as const

const Heartbeat = resource('Heartbeat', {
  at: Timestamp,
  signal: oneOf(signals),
  exitCode: nullable(Type.Integer()),
  rid: nullable(Type.String(), { description: 'Pairs a start with its end' }),
  durationMs: nullable(Type.Integer()),
  body: nullable(Type.String(), { description: 'The first 10 kB of what the job sent' }),
})

export const listHeartbeats = operation({
  id: 'listHeartbeats',
  method: 'GET',
  path: '/monitors/:monitorId/heartbeats',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'List the heartbeats of a CRON monitor',
  description: 'Newest first. The last 100 are kept.',
  params: MonitorParams,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: page('HeartbeatPage', Heartbeat), description: 'A page of heartbeats' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params, query: { limit, offset } }) {
    const num = yield* numOf(orgId, params.monitorId)
    const heartbeats = q.selectFrom('heartbeats').selectAll().where('org_id', '=', orgId).where('num', '=', num)
    const { rows, total } = yield* listPage(heartbeats.orderBy('id', 'desc'), { limit, offset })
    return {
      data: rows.map((row) => ({
        at: isoTimestamp(row.at),
        signal: row.signal.toUpperCase() as (typeof signals)[number],
        exitCode: row.exit_code,
        rid: row.rid,
        durationMs: row.duration_ms,
        body: row.body,
      })),
      pagination: { limit, offset, total },
    }
  },
})
