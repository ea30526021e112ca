import { parseStored } from '../../lib/json.ts'
import { type DbWork, execute, q, runEach, statement } from '../../storage/query.ts'
import { selectPublished } from './queries.ts'
import type { Affected } from './schema.ts'

const incidentsAffecting = (orgId: string, nums: readonly number[]) =>
  selectPublished(orgId)
    .where('i.id', 'in', (of) =>
      of
        .selectFrom('published_incident_monitors')
        .select('published_id')
        .where('org_id', '=', orgId)
        .where('num', 'in', nums),
    )
    .orderBy('i.id')
    .forUpdate()

const saveAffected = statement((i: { orgId: string; id: string; affected: string; now: number }) =>
  q
    .updateTable('published_incidents')
    .set({ affected: i.affected, updated_at: i.now })
    .where('org_id', '=', i.orgId)
    .where('id', '=', i.id),
)

const unlinkDetectedIncidents = (orgId: string, nums: readonly number[], now: number) =>
  q
    .updateTable('published_incidents')
    .set({ incident_id: null, updated_at: now })
    .where('org_id', '=', orgId)
    .where('incident_id', 'in', (of) =>
      of.selectFrom('incidents').select('id').where('org_id', '=', orgId).where('num', 'in', nums),
    )

/**
 * Removes monitors, and the links to their detected incidents, from every published incident. The caller has locked the
 * monitors and is about to delete them. Posted updates keep naming them.
 */
export function* removeMonitorsFromPublishedIncidents(
  orgId: string,
  monitors: readonly { readonly num: number; readonly id: string }[],
  now: number,
): DbWork<void> {
  const nums = monitors.map(({ num }) => num)
  const deleted = new Set(monitors.map(({ id }) => id))
  const affecting = yield* execute(incidentsAffecting(orgId, nums))
  const changed = affecting.map(({ id, affected }) => {
    const left = (parseStored(affected) as Affected[]).filter(({ monitorId }) => !deleted.has(monitorId))
    return { orgId, id, affected: JSON.stringify(left), now }
  })
  yield* runEach(saveAffected, changed)
  if (changed.length > 0) {
    yield* execute(q.deleteFrom('published_incident_monitors').where('org_id', '=', orgId).where('num', 'in', nums))
  }
  yield* execute(unlinkDetectedIncidents(orgId, nums, now))
}
