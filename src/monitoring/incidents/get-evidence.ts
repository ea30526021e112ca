import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { failureCodes } from '../../contract/probe.ts'
import { reasonField, reasonsField } from '../../contract/reason-fields.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { evidenceFields } from '../evidence/fields.ts'
import { evidenceOfIncident } from '../evidence/store.ts'
import { incidentOf } from './queries.ts'
import { IncidentParams } from './schema.ts'

const Fields = Type.Record(Type.String(), Type.String(), { description: 'What it saw, by field' })
const Milliseconds = (description: string) => Type.Number({ description })

const IncidentEvidence = resource('IncidentEvidence', {
  lastGood: nullable(Type.Object({ at: Timestamp, fields: Fields }), {
    description: 'What the last successful check saw; null if there was none',
  }),
  firstFailure: nullable(
    Type.Object({ at: Timestamp, causeCode: oneOf(failureCodes), error: Type.String(), fields: Fields }),
    { description: 'What the first failed check saw' },
  ),
  changes: Type.Array(
    resource('IncidentChange', {
      field: Type.String({ description: `One of ${evidenceFields.join(', ')}` }),
      before: Type.String({ description: 'Its value before' }),
      after: Type.String({ description: 'Its value after' }),
      changedAt: Timestamp,
      rarity: Type.Number({
        description: 'In which share of the successful checks the field changed: 0 is the rarest',
      }),
    }),
    {
      description: 'What differs in the failed check, then what changed within the hour before',
    },
  ),
  phases: Type.Record(
    Type.String(),
    Type.Object({ typicalMs: Milliseconds('Usually'), failedMs: Milliseconds('In the failed check') }),
    {
      description: 'How long the phases of the failed check took: dnsMs, connectMs, tlsMs, firstByteMs, downloadMs',
    },
  ),
  summary: Type.Array(Type.String(), { description: 'At most three sentences, as in alert messages' }),
})

export const getIncidentEvidence = operation({
  id: 'getIncidentEvidence',
  extension: true,
  method: 'GET',
  access: 'read',
  tag: 'Incidents',
  errors: ['not_found'],
  path: '/incidents/:incidentId/evidence',
  summary: 'Get what changed before an incident',
  description:
    'Compares the first failed check with the last successful one. Kept since the incident was opened. Fields that change in ' +
    'more than 5 % of the checks are left out. A field is reported once it was compared in three successful checks.',
  params: IncidentParams,
  answer: { status: 200, schema: IncidentEvidence, description: 'The evidence' },
  *handle({ caller: { orgId } }, { params }) {
    yield* incidentOf(orgId, params.incidentId)
    const stored = yield* evidenceOfIncident(orgId, params.incidentId)
    if (stored === null) return { lastGood: null, firstFailure: null, changes: [], phases: {}, summary: [] }
    const { lastGood, firstFailure, changes, phases, summary } = stored
    return {
      lastGood: lastGood && { at: isoTimestamp(lastGood.at), fields: { ...lastGood.fields } as Record<string, string> },
      firstFailure: {
        at: isoTimestamp(firstFailure.at),
        causeCode: firstFailure.code,
        ...reasonField('error', firstFailure.error),
        fields: { ...firstFailure.fields } as Record<string, string>,
      },
      changes: changes.map((change) => ({ ...change, changedAt: isoTimestamp(change.changedAt) })),
      phases: { ...phases } as Record<string, { typicalMs: number; failedMs: number }>,
      ...reasonsField('summary', summary),
    }
  },
})
