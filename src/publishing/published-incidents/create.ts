import { planLimitReached, planNamed } from '../../accounts/plans/plans.ts'
import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { addToList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import { setAffectedMonitors, setPages } from './links.ts'
import { progressAfter } from './progress.ts'
import { lockReferences } from './references.ts'
import { addUpdate, announce } from './save.ts'
import { CreatePublishedIncident, PublishedIncident, publishedFaults } from './schema.ts'

export const createPublishedIncident = operation({
  id: 'createPublishedIncident',
  method: 'POST',
  path: '/status-incidents',
  access: 'write',
  tag: 'Published incidents',
  summary: 'Publish an incident',
  description:
    'The message becomes the first update. An incident published as RESOLVED is resolved immediately, and its ' +
    'monitors are OPERATIONAL.',
  body: CreatePublishedIncident,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: publishedFaults,
  notifies: true,
  answer: { status: 201, schema: PublishedIncident, description: 'The published incident' },
  errors: ['plan_limit'],
  *handle({ caller: { orgId, plan: planName }, now }, { body }) {
    const references = yield* lockReferences(orgId, body)
    if (references.faults.length > 0) throw invalid(references.faults)
    const { title, status, impact, statusPageIds, incidentId, postmortem, message } = body
    const startedAt = body.startedAt === undefined ? now : parseTimestamp(body.startedAt)
    const progress = progressAfter({ status, affected: body.affectedMonitors, startedAt }, null, now)
    const { affected, resolvedAt } = progress
    const id = newId('sinc', now)
    const plan = planNamed(planName)
    const { seq, live } = yield* addToList(orgId, 'publishedincident')
    if (live > plan.publishedIncidents) throw planLimitReached(plan, plan.publishedIncidents, 'published incident')
    yield* execute(
      q.insertInto('published_incidents').values({
        org_id: orgId,
        id,
        seq,
        title,
        status,
        impact,
        affected: JSON.stringify(affected),
        incident_id: incidentId,
        started_at: startedAt,
        resolved_at: resolvedAt,
        postmortem,
        update_count: 1,
        created_at: now,
        updated_at: now,
      }),
    )
    yield* setPages({ orgId, id }, statusPageIds)
    yield* setAffectedMonitors({ orgId, id }, affected, references.nums)
    const updateId = yield* addUpdate(orgId, id, { number: 1, message }, progress, now)
    const change = { orgId, id, type: 'status_incident.published', wasResolved: false } as const
    return yield* announce({ ...change, notify: body.notifySubscribers, updateId }, now)
  },
})
