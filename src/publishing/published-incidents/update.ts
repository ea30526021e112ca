import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { canonicalJson } from '../../lib/json.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import type { DbWork } from '../../storage/query.ts'
import { pageIdsOf, setAffectedMonitors, setAllOperational, setPages } from './links.ts'
import { notifySubscribersOf } from './notify.ts'
import { progressAfter } from './progress.ts'
import { type PublishedForUpdate, publishedForUpdate, publishedIncidentOf } from './queries.ts'
import { lockReferences, rejectUnknown } from './references.ts'
import type { PublishedIncidentJson } from './render.ts'
import { publishedFaults } from './rules.ts'
import { emitIncidentEvents, type PublishedIncidentValues, savePublished } from './save.ts'
import {
  PublishedIncident,
  PublishedIncidentParams,
  type PublishedIncidentPatch,
  UpdatePublishedIncident,
} from './schema.ts'

export const updatePublishedIncident = operation({
  id: 'updatePublishedIncident',
  method: 'PATCH',
  path: '/status-incidents/:statusIncidentId',
  access: 'write',
  tag: 'Published incidents',
  summary: 'Edit a published incident',
  description:
    'Omitted fields keep their values, and no update is added. RESOLVED sets resolvedAt and makes the ' +
    'monitors OPERATIONAL; any other status reopens the incident.',
  params: PublishedIncidentParams,
  body: UpdatePublishedIncident,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: publishedFaults,
  notifies: true,
  answer: { status: 200, schema: PublishedIncident, description: 'The updated published incident' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params, body }) {
    const references = yield* lockReferences(orgId, body)
    const before = yield* publishedForUpdate(orgId, params.statusIncidentId)
    rejectUnknown(references)
    const key = { orgId, id: before.id }
    const pageIds = yield* pageIdsOf(key)
    const after = applyPatch(orgId, before, body, now)
    const pagesChanged =
      body.statusPageIds !== undefined && canonicalJson(body.statusPageIds) !== canonicalJson(pageIds)
    if (!pagesChanged && !isChange(before, after)) return yield* publishedIncidentOf(orgId, before.id)
    yield* savePublished(after)
    if (pagesChanged) yield* setPages(key, body.statusPageIds ?? [])
    if (body.affectedMonitors !== undefined)
      yield* setAffectedMonitors(key, JSON.parse(after.affected), references.nums)
    else if (after.resolvedAt !== null) yield* setAllOperational(key)
    return yield* notifyAndEmit(orgId, before, body.notifySubscribers === true, now)
  },
})

function applyPatch(
  orgId: string,
  row: PublishedForUpdate,
  patch: PublishedIncidentPatch,
  now: number,
): PublishedIncidentValues {
  const { status = row.status, incidentId = row.incident_id, postmortem = row.postmortem } = patch
  const affected = patch.affectedMonitors ?? JSON.parse(row.affected)
  const startedAt = patch.startedAt === undefined ? row.started_at : parseTimestamp(patch.startedAt)
  const progress = progressAfter({ status, affected, startedAt }, row.resolved_at, now)
  if (progress.resolvedAt !== null && startedAt > progress.resolvedAt) {
    throw invalid([{ path: 'startedAt', message: 'must not be after the incident was resolved' }])
  }
  return {
    orgId,
    id: row.id,
    title: patch.title ?? row.title,
    status,
    impact: patch.impact ?? row.impact,
    affected: JSON.stringify(progress.affected),
    incidentId,
    startedAt,
    resolvedAt: progress.resolvedAt,
    postmortem,
    updateCount: row.update_count,
    now,
  }
}

function isChange(row: PublishedForUpdate, to: PublishedIncidentValues): boolean {
  const before = [row.title, row.status, row.impact, row.incident_id, row.started_at, row.postmortem]
  const after = [to.title, to.status, to.impact, to.incidentId, to.startedAt, to.postmortem]
  return (
    canonicalJson(before) !== canonicalJson(after) ||
    canonicalJson(JSON.parse(row.affected)) !== canonicalJson(JSON.parse(to.affected))
  )
}

function* notifyAndEmit(
  orgId: string,
  before: PublishedForUpdate,
  notify: boolean,
  now: number,
): DbWork<PublishedIncidentJson> {
  const { id } = before
  if (notify) yield* notifySubscribersOf({ orgId, publishedId: id, updateId: null, now })
  const published = yield* publishedIncidentOf(orgId, id)
  const isOver = before.resolved_at === null && published.resolvedAt !== null
  const resolved = isOver ? (['status_incident.resolved'] as const) : []
  yield* emitIncidentEvents(orgId, ['status_incident.updated', ...resolved], published, now)
  return published
}
