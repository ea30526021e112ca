import Type, { type Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import { alertsOfIncident, type IncidentAlert } from '../../notifications/contacts/alerts-of-incident.ts'
import { channelNames } from '../../notifications/contacts/channels/index.ts'
import { type Configured, problemOf } from '../../notifications/contacts/delivers.ts'
import { nameOfKind } from '../../notifications/contacts/kinds.ts'
import { Problem } from '../../notifications/contacts/schema.ts'
import { incidentOf } from './queries.ts'
import { IncidentParams } from './schema.ts'

const Alert = resource('IncidentAlert', {
  contact: Type.Object({ id: Type.String(), name: Type.String(), channel: oneOf(channelNames), problem: Problem }),
  kind: oneOf(['OPENED', 'RESOLVED'] as const, {
    description: 'Whether it is about the start or the end of the incident',
  }),
  status: oneOf(['WAITING', 'SENT', 'FAILED', 'DROPPED', 'MUTED'] as const, {
    description:
      'FAILED: given up after all attempts. DROPPED: the contact was disabled before it was sent. MUTED: held back because ' +
      'the monitor is muted; sent at `nextAttemptAt` if the incident is still open then',
  }),
  queuedAt: Timestamp,
  settledAt: nullable(Timestamp, { description: 'When it was sent, given up or dropped' }),
  attemptCount: Type.Integer(),
  nextAttemptAt: nullable(Timestamp, { description: 'Of an alert that is waiting' }),
  error: nullable(Type.String(), {
    description: 'Why the last attempt failed. Known until the contact receives a message again',
  }),
})

export const listIncidentAlerts = operation({
  id: 'listIncidentAlerts',
  extension: true,
  method: 'GET',
  path: '/incidents/:incidentId/alerts',
  access: 'read',
  tag: 'Incidents',
  summary: 'List the alerts about an incident',
  description: 'Who was alerted of its start and its end. Alerts are kept for 30 days after the incident.',
  params: IncidentParams,
  answer: {
    status: 200,
    schema: resource('IncidentAlerts', { data: Type.Array(Alert) }),
    description: 'The alerts, oldest first',
  },
  errors: ['not_found'],
  *handle({ caller: { orgId }, installation }, { params: { incidentId } }) {
    yield* incidentOf(orgId, incidentId)
    return {
      data: (yield* alertsOfIncident(orgId, incidentId)).map((row) => renderAlert(row, installation.transports)),
    }
  },
})

const statuses = { SENT: 'SENT', GIVEN_UP: 'FAILED', DROPPED: 'DROPPED', MUTED: 'MUTED' } as const

function renderAlert(row: IncidentAlert, configured: Configured): Static<typeof Alert> {
  const { outcome, settled_at: settledAt, due_at: dueAt, muted_until: mutedUntil } = row
  return {
    contact: {
      id: row.contact_id,
      name: row.name,
      channel: row.channel as never,
      problem: problemOf(row, configured),
    },
    kind: nameOfKind(row.kind as 'opened' | 'resolved'),
    status: outcome === null ? (mutedUntil === null ? 'WAITING' : 'MUTED') : statuses[outcome],
    queuedAt: isoTimestamp(row.at),
    settledAt: isoTimestampOrNull(settledAt),
    attemptCount: row.attempts,
    nextAttemptAt: isoTimestampOrNull(mutedUntil ?? dueAt),
    error: failureReason(row),
  }
}

/** The reason is stored with the contact until its next success, so it is of this alert only if there was none since. */
function failureReason({ outcome, attempts, at, settled_at, last_error, last_sent_at }: IncidentAlert): string | null {
  if (outcome === 'SENT' || attempts === 0) return null
  return last_sent_at !== null && last_sent_at >= (settled_at ?? at) ? null : last_error
}
