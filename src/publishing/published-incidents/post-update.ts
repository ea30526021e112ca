import { ApiError, invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { parseStored } from '../../lib/json.ts'
import { reason } from '../../reasons/reason.ts'
import { setAffectedMonitors, setAllOperational } from './links.ts'
import { progressAfter } from './progress.ts'
import { publishedForUpdate } from './queries.ts'
import { lockReferences } from './references.ts'
import { addUpdate, announce, savePublished } from './save.ts'
import { ofPublished, PostPublishedUpdate, PublishedIncident, publishedFaults } from './schema.ts'

/** The API returns an incident with all its updates, so their number is limited. */
const MAX_UPDATES = 200

export const postPublishedUpdate = operation({
  ...ofPublished,
  id: 'postPublishedIncidentUpdate',
  method: 'POST',
  path: '/status-incidents/:statusIncidentId/updates',
  summary: 'Post an incident update',
  description:
    'RESOLVED sets resolvedAt and makes the affected monitors OPERATIONAL; a later update with another status reopens the ' +
    `incident. An incident has at most ${MAX_UPDATES} updates; more are a 409.`,
  body: PostPublishedUpdate,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: publishedFaults,
  notifies: true,
  answer: { status: 201, schema: PublishedIncident, description: 'The whole published incident' },
  errors: ['not_found', 'conflict'],
  *handle({ caller: { orgId }, now }, { params, body }) {
    const references = yield* lockReferences(orgId, body)
    const before = yield* publishedForUpdate(orgId, params.statusIncidentId)
    if (references.faults.length > 0) throw invalid(references.faults)
    const { id, update_count: count } = before
    if (count >= MAX_UPDATES) {
      throw new ApiError('conflict', reason('too_many_updates', { count: MAX_UPDATES }))
    }
    const { status, message, affectedMonitors } = body
    const affected = affectedMonitors ?? parseStored(before.affected)
    const progress = progressAfter({ status, affected, startedAt: before.started_at }, before.resolved_at, now)
    yield* savePublished(orgId, id, {
      status,
      affected: JSON.stringify(progress.affected),
      resolved_at: progress.resolvedAt,
      update_count: count + 1,
      updated_at: now,
    })
    if (affectedMonitors !== undefined) yield* setAffectedMonitors({ orgId, id }, progress.affected, references.nums)
    else if (progress.resolvedAt !== null) yield* setAllOperational({ orgId, id })
    const updateId = yield* addUpdate(orgId, id, { number: count + 1, message }, progress, now)
    const wasResolved = before.resolved_at !== null
    const change = { orgId, id, type: 'status_incident.update_posted', wasResolved } as const
    return yield* announce({ ...change, notify: body.notifySubscribers, updateId }, now)
  },
})
