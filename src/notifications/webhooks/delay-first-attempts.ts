import { type DbWork, q, runEach, statement } from '../../storage/query.ts'
import type { DueDelivery } from './due-deliveries.ts'

const setFirstAttempt = statement(({ orgId, id, dueAt }: { orgId: string; id: string; dueAt: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: dueAt })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('attempt_count', '=', 0),
)

/** Deliveries are created due at once; a schedule that begins with a delay is applied by the sender. */
export function* delayFirstAttempts(orgId: string, deliveries: readonly DueDelivery[], delayMs: number): DbWork<void> {
  yield* runEach(
    setFirstAttempt,
    deliveries.map(({ deliveryId: id, createdAt }) => ({ orgId, id, dueAt: createdAt + delayMs })),
  )
}
