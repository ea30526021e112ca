import Type from 'typebox'
import { invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'

const MAX_INCIDENTS = 100

const Acknowledgement = resource('IncidentAcknowledgement', {
  incidentId: Type.String({ minLength: 1 }),
  acknowledgedAt: Timestamp,
  acknowledgedBy: Type.Object({ type: oneOf(['USER', 'API_KEY'] as const), name: Type.String() }),
})

export const listAcknowledgements = operation({
  id: 'listAcknowledgements',
  extension: true,
  method: 'GET',
  path: '/incidents/acknowledgements',
  access: 'read',
  tag: 'Incidents',
  summary: 'List who acknowledged incidents',
  description:
    'Of the given incidents, those that are acknowledged, newest first. For lists of incidents, which do not name who it was.',
  query: Type.Object({
    incidentIds: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 5_000,
        description: `At most ${MAX_INCIDENTS} ids, separated by commas. Without them: the newest incidents`,
      }),
    ),
  }),
  answer: {
    status: 200,
    schema: resource('IncidentAcknowledgements', { data: Type.Array(Acknowledgement) }),
    description: 'The acknowledgements',
  },
  *handle({ caller: { orgId } }, { query }) {
    const ids = query.incidentIds?.split(',')
    if (ids !== undefined && ids.length > MAX_INCIDENTS) {
      throw invalid([{ path: 'incidentIds', message: `must have at most ${MAX_INCIDENTS} ids` }])
    }
    const acknowledged = q
      .selectFrom('incidents')
      .select(['id', 'acknowledged_at', 'acknowledged_by'])
      .where('org_id', '=', orgId)
      .where('acknowledged_at', 'is not', null)
    const chosen = ids === undefined ? acknowledged : acknowledged.where('id', 'in', ids)
    const rows = yield* execute(chosen.orderBy('seq', 'desc').limit(MAX_INCIDENTS))
    const data = rows.map((row) => ({
      incidentId: row.id,
      acknowledgedAt: isoTimestamp(row.acknowledged_at as number),
      acknowledgedBy: JSON.parse(row.acknowledged_by as string),
    }))
    return { data }
  },
})
