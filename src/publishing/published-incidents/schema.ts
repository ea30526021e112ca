import Type, { type Static } from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { timestampMs } from '../../contract/patterns.ts'
import {
  body,
  DOCUMENTED,
  defaulted,
  nullable,
  oneOf,
  page,
  pageQuery,
  resource,
  singleLine,
  Timestamp,
  TimestampInput,
} from '../../contract/schema.ts'
import { duplicateFaults } from '../../contract/unique-items.ts'

const publishedStates = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'] as const
const impacts = ['NONE', 'MINOR', 'MAJOR', 'CRITICAL'] as const
const affectedStates = ['OPERATIONAL', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'] as const

const AffectedMonitor = resource('AffectedMonitor', {
  monitorId: Type.String(),
  status: oneOf(affectedStates),
})
export type Affected = Static<typeof AffectedMonitor>

const PublishedIncidentUpdate = resource('PublishedIncidentUpdate', {
  id: Type.String({ minLength: 1 }),
  status: oneOf(publishedStates),
  message: Type.String({ description: 'Markdown' }),
  affectedMonitors: Type.Array(AffectedMonitor, {
    description: 'State after this update. Monitors that were deleted later are included.',
  }),
  publishedAt: Timestamp,
  createdAt: Timestamp,
})

export const PublishedIncident = resource('PublishedIncident', {
  id: Type.String({ minLength: 1 }),
  title: Type.String(),
  status: oneOf(publishedStates),
  impact: oneOf(impacts),
  statusPageIds: Type.Array(Type.String(), { description: 'Empty if its last page was deleted' }),
  affectedMonitors: Type.Array(AffectedMonitor),
  incidentId: nullable(Type.String(), { description: 'The detected incident that it is linked to' }),
  startedAt: Timestamp,
  resolvedAt: nullable(Timestamp),
  postmortem: nullable(Type.String(), { description: 'Markdown' }),
  updates: Type.Array(PublishedIncidentUpdate, { description: 'Newest first' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** Every field a user can set, with its bounds. */
const fields = {
  title: singleLine({ minLength: 1, maxLength: 200 }),
  status: oneOf(publishedStates),
  impact: oneOf(impacts),
  statusPageIds: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    maxItems: 50,
    description: 'The pages that show it, without duplicates',
    [DOCUMENTED]: { uniqueItems: true },
  }),
  affectedMonitors: Type.Array(
    body('AffectedMonitorInput', { monitorId: Type.String({ minLength: 1 }), status: oneOf(affectedStates) }),
    {
      maxItems: 500,
      description: 'Without duplicates. All are OPERATIONAL while the incident is RESOLVED.',
      [DOCUMENTED]: { uniqueItems: true },
    },
  ),
  incidentId: nullable(Type.String({ minLength: 1 }), { description: 'The detected incident that it is linked to' }),
  startedAt: TimestampInput,
  postmortem: nullable(Type.String({ maxLength: 50_000 }), { description: 'Markdown' }),
}

const message = Type.String({ minLength: 1, maxLength: 5000, description: 'Markdown' })
const notifySubscribers = Type.Boolean({ description: 'Whether to notify the subscribers of the pages' })

export const CreatePublishedIncident = body('CreatePublishedIncident', {
  title: fields.title,
  status: defaulted(fields.status, 'INVESTIGATING'),
  impact: defaulted(fields.impact, 'MINOR'),
  statusPageIds: fields.statusPageIds,
  affectedMonitors: defaulted(fields.affectedMonitors, []),
  incidentId: defaulted(fields.incidentId, null),
  startedAt: Type.Optional(Type.With(TimestampInput, { description: 'ISO 8601 with Z or an offset. Default: now.' })),
  postmortem: defaulted(fields.postmortem, null),
  message,
  notifySubscribers: defaulted(notifySubscribers, true),
})

export const UpdatePublishedIncident = body('UpdatePublishedIncident', {
  ...Type.Partial(Type.Object(fields)).properties,
  notifySubscribers: Type.Optional(
    Type.With(notifySubscribers, { description: 'Whether to notify subscribers of the edit; default false' }),
  ),
})
export type PublishedIncidentPatch = Static<typeof UpdatePublishedIncident>

export const PostPublishedUpdate = body('PostPublishedUpdate', {
  status: fields.status,
  message,
  affectedMonitors: Type.Optional(
    Type.With(fields.affectedMonitors, {
      description: 'Unchanged if omitted. RESOLVED makes all of them OPERATIONAL.',
    }),
  ),
  notifySubscribers: defaulted(notifySubscribers, true),
})

/** Rules that a JSON schema cannot express. */
export function publishedFaults({
  statusPageIds,
  affectedMonitors,
  startedAt,
}: Readonly<Record<string, unknown>>): Fault[] {
  return [
    ...duplicateFaults('statusPageIds', statusPageIds, Number.POSITIVE_INFINITY),
    ...duplicateFaults('affectedMonitors', affectedMonitors, Number.POSITIVE_INFINITY, 'monitorId'),
    ...(typeof startedAt === 'string' ? timestampFaults(startedAt) : []),
  ]
}

const EARLIEST = 0
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Malformed timestamps are rejected by the schema, so they have no fault here. */
function timestampFaults(text: string): Fault[] {
  const at = timestampMs(text)
  return at === undefined || (at >= EARLIEST && at <= LATEST)
    ? []
    : [{ path: 'startedAt', message: 'must be between the years 1970 and 9999' }]
}

export const PublishedIncidentPage = page('PublishedIncidentPage', PublishedIncident)

/** What operations on one published incident share. */
export const ofPublished = {
  path: '/status-incidents/:statusIncidentId',
  access: 'write',
  tag: 'Published incidents',
  params: Type.Object({ statusIncidentId: Type.String({ minLength: 1 }) }),
  errors: ['not_found'],
} as const

export const PublishedIncidentQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(publishedStates)),
  impact: Type.Optional(oneOf(impacts)),
  statusPageId: Type.Optional(Type.String({ minLength: 1 })),
  startedAfter: Type.Optional(TimestampInput),
  startedBefore: Type.Optional(TimestampInput),
})
