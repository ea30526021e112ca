import { type DbWork, q, send, statement } from '../../storage/query.ts'
import type { StateFields } from './state.ts'

interface Unmonitored {
  orgId: string
  incidentId: string
  ms: number
}

const addToIncident = statement(({ orgId, incidentId, ms }: Unmonitored) =>
  q
    .updateTable('incidents')
    .set((is) => ({ paused_ms: is('paused_ms', '+', ms) }))
    .where('org_id', '=', orgId)
    .where('id', '=', incidentId),
)

/**
 * When a monitor with an open incident leaves PAUSED or PENDING at `until`: the time in that state does not belong to the duration of
 * the incident. It is neither up nor down time either.
 */
export function* excludeUnmonitoredTime(
  orgId: string,
  incidentId: string | null,
  { state, last_status_changed_at: since }: StateFields,
  until: number,
): DbWork<void> {
  if (incidentId === null || since === null || (state !== 'PAUSED' && state !== 'PENDING')) return
  yield* send(addToIncident, { orgId, incidentId, ms: Math.max(0, until - since) })
}
