import { endProblemsSilently } from '../../notifications/contacts/queries.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { all, q, run, statement } from '../../storage/query.ts'
import type { OnMonitorDeleted } from '../monitors/remove.ts'

const BATCH_SIZE = 500

const batchOf = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.selectFrom('incidents').select(['id', 'seq']).where('org_id', '=', orgId).where('num', '=', num).limit(BATCH_SIZE),
)

const deleteRow = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('incidents').where('org_id', '=', orgId).where('id', '=', id),
)

/** Deletes a monitor's incidents, and closes what is open about it at alert services. */
export const removeMonitorFromIncidents: OnMonitorDeleted = function* (orgId, monitor, now) {
  const { num, id: monitorId, open_incident: incidentId } = monitor
  yield* endProblemsSilently({ orgId, monitorId, incidentId, at: now })
  for (;;) {
    const batch = yield* all(batchOf, { orgId, num })
    if (batch.length === 0) return
    for (const { id, seq } of batch) {
      yield* run(deleteRow, { orgId, id })
      yield* removeFromList(orgId, 'incident', seq)
    }
  }
}
