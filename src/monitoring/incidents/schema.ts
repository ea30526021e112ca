import Type from 'typebox'
import { failureCodes } from '../../contract/probe.ts'
import {
  documented,
  nullable,
  oneOf,
  page,
  pageQuery,
  resource,
  Timestamp,
  TimestampInput,
} from '../../contract/schema.ts'
import { SelectorText } from '../../contract/selector.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'

const listed = {
  id: Type.String({ minLength: 1 }),
  monitor: Type.Object({ id: Type.String(), name: Type.String(), type: oneOf(monitorTypes) }),
  startedAt: documented(Timestamp, { description: 'When the first failed try of the check that opened it began' }),
  resolvedAt: nullable(Timestamp, { description: 'null while the incident is ongoing' }),
  durationSec: nullable(Type.Integer(), {
    description: 'Without the time in which the monitor was paused; null while the incident is ongoing',
  }),
  cause: nullable(Type.String()),
  acknowledged: Type.Boolean(),
}

const IncidentFailure = resource('IncidentFailure', {
  at: Timestamp,
  statusCode: nullable(Type.Integer()),
  responseMs: nullable(Type.Integer()),
  error: Type.String(),
  ip: nullable(Type.String()),
  excerpt: nullable(Type.String(), { description: 'The beginning of the response body' }),
})

const Acknowledger = Type.Unsafe<{ type: 'USER' | 'API_KEY'; name: string } | null>({
  type: ['object', 'null'],
  required: ['type', 'name'],
  properties: { type: { type: 'string', enum: ['USER', 'API_KEY'] }, name: { type: 'string' } },
})

export const Incident = resource('Incident', listed)

export const IncidentDetail = resource('IncidentDetail', {
  ...listed,
  acknowledgedAt: nullable(Timestamp),
  acknowledgedBy: Acknowledger,
  causeCode: oneOf(failureCodes),
  failedChecks: Type.Integer({ description: 'Number of failed checks; the repeats within a check do not count' }),
  firstFailure: IncidentFailure,
  lastFailure: IncidentFailure,
  timeline: Type.Array(
    Type.Object({
      at: Timestamp,
      type: oneOf(['OPENED', 'ACKNOWLEDGED', 'RESOLVED'] as const),
      message: Type.String(),
    }),
  ),
})

export const IncidentPage = page('IncidentPage', Incident)
export const IncidentParams = Type.Object({ incidentId: Type.String({ minLength: 1 }) })

export const IncidentQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(['ONGOING', 'RESOLVED'] as const)),
  monitorId: Type.Optional(Type.String({ minLength: 1 })),
  acknowledged: Type.Optional(Type.Boolean()),
  startedAfter: Type.Optional(TimestampInput),
  startedBefore: Type.Optional(TimestampInput),
  labels: Type.Optional(SelectorText),
})
