import { invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { DbWork } from '../../storage/query.ts'
import { noteAffected, noteAllOperational, pageIdsOf, putOnPages } from './links.ts'
import { tellSubscribers } from './notify.ts'
import { courseOf } from './progress.ts'
import { type PublishedToChange, publishedIncidentOf, publishedToChange } from './queries.ts'
import { referencesOf, refuseUnknown } from './references.ts'
import type { Shown } from './render.ts'
import { momentMs, publishedFaults } from './rules.ts'
import { announce, type Saved, savePublished } from './save.ts'
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
    'Fields left out keep their values, and no update is added. A status that is changed here counts like one that an ' +
    'update brings, without a word to readers: RESOLVED sets resolvedAt and makes the monitors OPERATIONAL, any other opens ' +
    'the incident again.',
  params: PublishedIncidentParams,
  body: UpdatePublishedIncident,
  refine: publishedFaults,
  answer: { status: 200, schema: PublishedIncident, description: 'The published incident as it is now' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params, body }) {
    const references = yield* referencesOf(orgId, body)
    const before = yield* publishedToChange(orgId, params.statusIncidentId)
    refuseUnknown(references)
    const owner = { orgId, id: before.id }
    const pageIds = yield* pageIdsOf(owner)
    const after = patched(orgId, before, body, now)
    const moved = body.statusPageIds !== undefined && canonicalJson(body.statusPageIds) !== canonicalJson(pageIds)
    if (!moved && !isChange(before, after)) return yield* publishedIncidentOf(orgId, before.id)
    yield* savePublished(after)
    if (moved) yield* putOnPages(owner, body.statusPageIds ?? [])
    if (body.affectedMonitors !== undefined) yield* noteAffected(owner, JSON.parse(after.affected), references.nums)
    else if (after.resolvedAt !== null) yield* noteAllOperational(owner)
    return yield* told(orgId, before, body.notifySubscribers === true, now)
  },
})

/** The published incident with what was sent in place of what it was. */
function patched(orgId: string, row: PublishedToChange, patch: PublishedIncidentPatch, now: number): Saved {
  const { status = row.status, incidentId = row.incident_id, postmortem = row.postmortem } = patch
  const affected = patch.affectedMonitors ?? JSON.parse(row.affected)
  const startedAt = patch.startedAt === undefined ? row.started_at : momentMs(patch.startedAt)
  const course = courseOf({ status, affected, startedAt }, row.resolved_at, now)
  if (course.resolvedAt !== null && startedAt > course.resolvedAt) {
    throw invalid([{ path: 'startedAt', message: 'must not be after the incident was resolved' }])
  }
  return {
    orgId,
    id: row.id,
    title: patch.title ?? row.title,
    status,
    impact: patch.impact ?? row.impact,
    affected: JSON.stringify(course.affected),
    incidentId,
    startedAt,
    resolvedAt: course.resolvedAt,
    postmortem,
    updateCount: row.update_count,
    now,
  }
}

function isChange(row: PublishedToChange, to: Saved): boolean {
  const before = [row.title, row.status, row.impact, row.incident_id, row.started_at, row.postmortem]
  const after = [to.title, to.status, to.impact, to.incidentId, to.startedAt, to.postmortem]
  return (
    canonicalJson(before) !== canonicalJson(after) ||
    canonicalJson(JSON.parse(row.affected)) !== canonicalJson(JSON.parse(to.affected))
  )
}

function* told(orgId: string, before: PublishedToChange, notify: boolean, now: number): DbWork<Shown> {
  const { id } = before
  if (notify) yield* tellSubscribers({ orgId, publishedId: id, updateId: null, now })
  const published = yield* publishedIncidentOf(orgId, id)
  const isOver = before.resolved_at === null && published.resolvedAt !== null
  const resolved = isOver ? (['status_incident.resolved'] as const) : []
  yield* announce(orgId, ['status_incident.updated', ...resolved], published, now)
  return published
}
