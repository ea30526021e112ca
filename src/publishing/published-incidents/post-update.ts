import { ApiError } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { noteAffected, noteAllOperational } from './links.ts'
import { tellSubscribers } from './notify.ts'
import { courseOf } from './progress.ts'
import { publishedIncidentOf, publishedToChange } from './queries.ts'
import { referencesOf, refuseUnknown } from './references.ts'
import { publishedFaults } from './rules.ts'
import { addUpdate, announce, savePublished } from './save.ts'
import { PostPublishedUpdate, PublishedIncident, PublishedIncidentParams } from './schema.ts'

/** An incident is always returned with all its updates, so there is an end to them. */
const MOST_UPDATES = 200

export const postPublishedUpdate = operation({
  id: 'postPublishedIncidentUpdate',
  method: 'POST',
  path: '/status-incidents/:statusIncidentId/updates',
  access: 'write',
  tag: 'Published incidents',
  summary: 'Post an incident update',
  description:
    'RESOLVED sets resolvedAt and makes the affected monitors OPERATIONAL; a later update that is not RESOLVED opens the ' +
    `incident again. An incident takes ${MOST_UPDATES} updates, then 409.`,
  params: PublishedIncidentParams,
  body: PostPublishedUpdate,
  refine: publishedFaults,
  answer: { status: 201, schema: PublishedIncident, description: 'The whole published incident' },
  errors: ['not_found', 'conflict'],
  *handle({ caller: { orgId }, now }, { params, body }) {
    const references = yield* referencesOf(orgId, body)
    const before = yield* publishedToChange(orgId, params.statusIncidentId)
    refuseUnknown(references)
    const { id, update_count: count } = before
    if (count >= MOST_UPDATES) {
      throw new ApiError('conflict', `The incident has ${MOST_UPDATES} updates, which is all it takes; edit it instead`)
    }
    const { status, message, affectedMonitors } = body
    const affected = affectedMonitors ?? JSON.parse(before.affected)
    const course = courseOf({ status, affected, startedAt: before.started_at }, before.resolved_at, now)
    yield* savePublished({
      orgId,
      id,
      title: before.title,
      status,
      impact: before.impact,
      affected: JSON.stringify(course.affected),
      incidentId: before.incident_id,
      startedAt: before.started_at,
      resolvedAt: course.resolvedAt,
      postmortem: before.postmortem,
      updateCount: count + 1,
      now,
    })
    if (affectedMonitors !== undefined) yield* noteAffected({ orgId, id }, course.affected, references.nums)
    else if (course.resolvedAt !== null) yield* noteAllOperational({ orgId, id })
    const updateId = yield* addUpdate({ orgId, publishedId: id }, { number: count + 1, message }, course, now)
    if (body.notifySubscribers) yield* tellSubscribers({ orgId, publishedId: id, updateId, now })
    const published = yield* publishedIncidentOf(orgId, id)
    const isOver = before.resolved_at === null && course.resolvedAt !== null
    const resolved = isOver ? (['status_incident.resolved'] as const) : []
    yield* announce(orgId, ['status_incident.update_posted', ...resolved], published, now)
    return published
  },
})
