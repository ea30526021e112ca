import { faultFor, invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { canonicalJson, parseStored } from '../../lib/json.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { reason } from '../../reasons/reason.ts'
import { pageIdsOf, setAffectedMonitors, setAllOperational, setPages } from './links.ts'
import { progressAfter } from './progress.ts'
import { type PublishedForUpdate, publishedForUpdate, publishedIncidentOf } from './queries.ts'
import { lockReferences } from './references.ts'
import { announce, savePublished } from './save.ts'
import {
  type Affected,
  ofPublished,
  PublishedIncident,
  type PublishedIncidentPatch,
  publishedFaults,
  UpdatePublishedIncident,
} from './schema.ts'

export const updatePublishedIncident = operation({
  ...ofPublished,
  id: 'updatePublishedIncident',
  method: 'PATCH',
  summary: 'Edit a published incident',
  description:
    'Omitted fields keep their values, and no update is added. RESOLVED sets resolvedAt and makes the ' +
    'monitors OPERATIONAL; any other status reopens the incident.',
  body: UpdatePublishedIncident,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: publishedFaults,
  notifies: true,
  answer: { status: 200, schema: PublishedIncident, description: 'The updated published incident' },
  *handle({ caller: { orgId }, now }, { params, body }) {
    const references = yield* lockReferences(orgId, body)
    const before = yield* publishedForUpdate(orgId, params.statusIncidentId)
    if (references.faults.length > 0) throw invalid(references.faults)
    const key = { orgId, id: before.id }
    const pageIds = yield* pageIdsOf(key)
    const after = applyPatch(before, body, now)
    const pagesChanged =
      body.statusPageIds !== undefined && canonicalJson(body.statusPageIds) !== canonicalJson(pageIds)
    if (!pagesChanged && canonicalJson({ ...before, ...after }) === canonicalJson(before)) {
      return yield* publishedIncidentOf(orgId, before.id)
    }
    yield* savePublished(orgId, before.id, { ...after, updated_at: now })
    if (pagesChanged) yield* setPages(key, body.statusPageIds ?? [])
    if (body.affectedMonitors !== undefined)
      yield* setAffectedMonitors(key, parseStored(after.affected), references.nums)
    else if (after.resolved_at !== null) yield* setAllOperational(key)
    const change = { ...key, type: 'status_incident.updated', wasResolved: before.resolved_at !== null } as const
    return yield* announce({ ...change, notify: body.notifySubscribers === true, updateId: null }, now)
  },
})

/** The columns after a change. */
function applyPatch(row: PublishedForUpdate, patch: PublishedIncidentPatch, now: number) {
  const { title = row.title, impact = row.impact, status = row.status } = patch
  const { incidentId = row.incident_id, postmortem = row.postmortem } = patch
  const before: Affected[] = parseStored(row.affected)
  const startedAt = patch.startedAt === undefined ? row.started_at : parseTimestamp(patch.startedAt)
  const change = { status, affected: patch.affectedMonitors ?? before, startedAt }
  const { affected, resolvedAt } = progressAfter(change, row.resolved_at, now)
  if (resolvedAt !== null && startedAt > resolvedAt) {
    throw invalid([faultFor('startedAt', reason('resolved_before'))])
  }
  return {
    title,
    status,
    impact,
    // The same members in another order are no change.
    affected: canonicalJson(affected) === canonicalJson(before) ? row.affected : JSON.stringify(affected),
    incident_id: incidentId,
    started_at: startedAt,
    resolved_at: resolvedAt,
    postmortem,
  }
}
