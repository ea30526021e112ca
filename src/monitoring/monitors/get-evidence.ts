import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'
import { type EvidenceField, evidenceFields } from '../evidence/fields.ts'
import { volatileIn } from '../evidence/history.ts'
import { evidenceOf } from '../evidence/store.ts'
import { readMemory } from '../monitor-states/memory.ts'
import { numOf } from './queries.ts'
import { MonitorParams } from './schema.ts'

const Field = Type.String({ description: `One of ${evidenceFields.join(', ')}` })

const MonitorEvidence = resource('MonitorEvidence', {
  lastGood: nullable(Type.Record(Type.String(), Type.String()), {
    description: 'What the last successful check saw, by field; null before the first one',
  }),
  changes: Type.Array(
    resource('EvidenceChange', {
      at: Timestamp,
      field: Field,
      before: Type.String({ description: 'Its value before' }),
      after: Type.String({ description: 'Its value after' }),
    }),
    { description: 'At most 50, newest first, without those of volatile fields' },
  ),
  volatile: Type.Array(Field, { description: 'Fields that change in more than 5 % of the successful checks' }),
})

export const getMonitorEvidence = operation({
  id: 'getMonitorEvidence',
  extension: true,
  method: 'GET',
  access: 'read',
  tag: 'Insight',
  errors: ['not_found'],
  path: '/monitors/:monitorId/evidence',
  summary: 'Get what the successful checks of a monitor saw',
  description:
    'Address, DNS answer, certificate, TLS version, status, redirects, headers, title, hosts of scripts and text of the last ' +
    'successful check, as far as the type sees them, and when they changed. Texts are compared by a similarity hash.',
  params: MonitorParams,
  answer: { status: 200, schema: MonitorEvidence, description: 'The evidence' },
  *handle({ caller: { orgId }, now }, { params }) {
    const num = yield* numOf(orgId, params.monitorId)
    const stored = yield* evidenceOf(orgId, num)
    if (stored === null) return { lastGood: null, changes: [], volatile: [] }
    const [state] = yield* execute(q.selectFrom('monitor_states').select('memory').where('num', '=', num))
    const volatile = volatileIn(stored, readMemory(state?.memory ?? '{}', now).evidence)
    return {
      lastGood: { ...stored.lastGood } as Record<EvidenceField, string>,
      changes: stored.changes
        .filter(({ field }) => !volatile.has(field))
        .map(({ at, ...change }) => ({ at: isoTimestamp(at), ...change })),
      volatile: [...volatile],
    }
  },
})
