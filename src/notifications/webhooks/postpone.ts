import { q, runEach, statement, type Work } from '../../storage/query.ts'
import type { Parcel } from './page.ts'

const setFirst = statement(({ orgId, id, dueAt }: { orgId: string; id: string; dueAt: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: dueAt })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('attempt_count', '=', 0),
)

/** Puts the first attempt off where the schedule begins with a delay. */
export function* postpone(orgId: string, parcels: readonly Parcel[], delayMs: number): Work<void> {
  yield* runEach(
    setFirst,
    parcels.map(({ deliveryId: id, createdAt }) => ({ orgId, id, dueAt: createdAt + delayMs })),
  )
}
