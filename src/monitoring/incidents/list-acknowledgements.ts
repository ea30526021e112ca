import Type from 'typebox'
import { NamedActor } from '../../contract/actor.ts'
import { invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { resource, Timestamp } from '../../contract/schema.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'

const MAX_INCIDENTS = 100

const Acknowledgement = resource('IncidentAcknowledgement', {
  incidentId: Type.String({ minLength: 1 }),
  acknowledgedAt: Timestamp,
  acknowledgedBy: NamedActor,
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
        description: `At most ${MAX_INCIDENTS} ids, separated by commas. Without them: the newest ${MAX_INCIDENTS} incidents`,
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
    const incidents = q
      .selectFrom('incidents')
      .select(['id', 'acknowledged_at', 'acknowledged_by'])
      .where('org_id', '=', orgId)
      .orderBy('seq', 'desc')
      .limit(MAX_INCIDENTS)
    // Not filtered in SQL: without ids it would search all incidents for acknowledged ones.
    const rows = yield* execute(ids === undefined ? incidents : incidents.where('id', 'in', ids))
    const data = rows.flatMap(({ id, acknowledged_at: at, acknowledged_by: by }) =>
      at === null
        ? []
        : [{ incidentId: id, acknowledgedAt: isoTimestamp(at), acknowledgedBy: parseStored(by as string) }],
    )
    return { data }
  },
})
