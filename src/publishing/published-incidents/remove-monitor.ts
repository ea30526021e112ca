import { all, type DbWork, q, run, statement } from '../../storage/query.ts'
import { selectPublished } from './queries.ts'
import type { Affected } from './schema.ts'

const incidentsAffecting = statement(({ orgId, num }: { orgId: string; num: number }) =>
  selectPublished(orgId)
    .where('i.id', 'in', (of) =>
      of
        .selectFrom('published_incident_monitors')
        .select('published_id')
        .where('org_id', '=', orgId)
        .where('num', '=', num),
    )
    .orderBy('i.id')
    .forUpdate(),
)

const saveAffected = statement((i: { orgId: string; id: string; affected: string; now: number }) =>
  q
    .updateTable('published_incidents')
    .set({ affected: i.affected, updated_at: i.now })
    .where('org_id', '=', i.orgId)
    .where('id', '=', i.id),
)

const unlinkMonitor = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.deleteFrom('published_incident_monitors').where('org_id', '=', orgId).where('num', '=', num),
)

const unlinkDetectedIncidents = statement(({ orgId, num, now }: { orgId: string; num: number; now: number }) =>
  q
    .updateTable('published_incidents')
    .set({ incident_id: null, updated_at: now })
    .where('org_id', '=', orgId)
    .where('incident_id', 'in', (of) =>
      of.selectFrom('incidents').select('id').where('org_id', '=', orgId).where('num', '=', num),
    ),
)

/**
 * Removes a monitor, and the links to its detected incidents, from every published incident. The caller has locked the
 * monitor and is about to delete it. Posted updates keep naming it.
 */
export function* removeMonitorFromPublishedIncidents(
  orgId: string,
  monitor: { num: number; id: string },
  now: number,
): DbWork<void> {
  const { num } = monitor
  const affecting = yield* all(incidentsAffecting, { orgId, num })
  for (const { id, affected } of affecting) {
    const left = (JSON.parse(affected) as Affected[]).filter(({ monitorId }) => monitorId !== monitor.id)
    yield* run(saveAffected, { orgId, id, affected: JSON.stringify(left), now })
  }
  if (affecting.length > 0) yield* run(unlinkMonitor, { orgId, num })
  yield* run(unlinkDetectedIncidents, { orgId, num, now })
}
