import Type from 'typebox'
import { invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { reasonField } from '../../contract/reason-fields.ts'
import { resource, Timestamp } from '../../contract/schema.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'
import type { Failure } from './render.ts'

const MAX_INCIDENTS = 100

const LastFailure = resource('IncidentLastFailure', {
  incidentId: Type.String({ minLength: 1 }),
  at: Timestamp,
  error: Type.String(),
})

export const listLastFailures = operation({
  id: 'listLastFailures',
  extension: true,
  method: 'GET',
  path: '/incidents/last-failures',
  access: 'read',
  tag: 'Incidents',
  summary: 'List the last failures of incidents',
  description:
    'Why the checks of ongoing incidents fail now. For lists of incidents, whose `cause` is what opened them.',
  query: Type.Object({
    incidentIds: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 5_000,
        description: `At most ${MAX_INCIDENTS} ids, separated by commas. Without them: the newest ${MAX_INCIDENTS} incidents`,
      }),
    ),
  }),
  answer: {
    status: 200,
    schema: resource('IncidentLastFailures', { data: Type.Array(LastFailure) }),
    description: 'The last failures, without incidents that do not exist',
  },
  *handle({ caller: { orgId } }, { query }) {
    const ids = query.incidentIds?.split(',')
    if (ids !== undefined && ids.length > MAX_INCIDENTS) {
      throw invalid([{ path: 'incidentIds', message: `must have at most ${MAX_INCIDENTS} ids` }])
    }
    const incidents = q
      .selectFrom('incidents')
      .select(['id', 'last_failure'])
      .where('org_id', '=', orgId)
      .orderBy('seq', 'desc')
      .limit(MAX_INCIDENTS)
    const rows = yield* execute(ids === undefined ? incidents : incidents.where('id', 'in', ids))
    const data = rows.map(({ id, last_failure: text }) => {
      const { at, error } = parseStored(text) as Failure
      return { incidentId: id, at: isoTimestamp(at), ...reasonField('error', error) }
    })
    return { data }
  },
})
