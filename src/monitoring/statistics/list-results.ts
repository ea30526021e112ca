import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { numOf } from '../monitors/queries.ts'
import { MonitorParams } from '../monitors/schema.ts'
import { recentResults } from './uptime.ts'
import { Milliseconds } from './uptime-schema.ts'

export const listResults = appOperation('listResults', {
  method: 'GET',
  access: 'read',
  tag: 'Insight',
  errors: ['not_found'],
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
