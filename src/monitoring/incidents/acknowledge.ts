import { userWithId } from '../../accounts/users/queries.ts'
import { actorOf } from '../../contract/actor.ts'
import { ApiError } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import { alertContacts } from '../../notifications/contacts/queries.ts'
import { reason } from '../../reasons/reason.ts'
import { execute, q } from '../../storage/query.ts'
import { incidentOf, incidentToChange, withEntry } from './queries.ts'
import { renderDetail } from './render.ts'
import { IncidentDetail, IncidentParams } from './schema.ts'

export const acknowledgeIncident = operation({
  id: 'acknowledgeIncident',
  method: 'POST',
  path: '/incidents/:incidentId/acknowledge',
  access: 'write',
  tag: 'Incidents',
  summary: 'Acknowledge an incident',
  description: 'Records that somebody works on the incident. An acknowledged incident is returned unchanged.',
  params: IncidentParams,
  body: Empty,
  bodyRequired: false,
  answer: { status: 200, schema: IncidentDetail, description: 'The updated incident' },
  errors: ['not_found', 'conflict'],
  *handle({ caller, now }, { params }) {
    const { orgId } = caller
    const incident = yield* incidentToChange(orgId, params.incidentId)
    if (incident.resolved_at !== null) throw new ApiError('conflict', reason('incident_resolved'))
    const isChanged = incident.acknowledged_at === null
    if (isChanged) {
      const { type, name } = actorOf(caller)
      const message = reason(type === 'USER' ? 'acknowledged_by' : 'acknowledged_with_key', { name })
      const timeline = withEntry(incident.timeline, { at: now, type: 'ACKNOWLEDGED', message })
      const columns = { acknowledged_at: now, acknowledged_by: JSON.stringify({ type, name }), timeline }
      yield* execute(q.updateTable('incidents').set(columns).where('org_id', '=', orgId).where('id', '=', incident.id))
    }
    const acknowledged = renderDetail(yield* incidentOf(orgId, params.incidentId))
    if (isChanged) {
      yield* emit({ orgId, type: 'incident.acknowledged', data: JSON.stringify(acknowledged), now })
      const user = 'userId' in caller ? yield* userWithId(caller.userId) : undefined
      yield* alertContacts({
        orgId,
        kind: 'acknowledged',
        monitorNum: incident.num,
        monitorId: incident.monitor_id,
        incidentId: incident.id,
        subject: incident.monitor_name,
        target: null,
        reason: null,
        facts: { acknowledgedBy: actorOf(caller).name },
        at: now,
        exceptAddress: user?.email_key ?? null,
      })
    }
    return acknowledged
  },
})
