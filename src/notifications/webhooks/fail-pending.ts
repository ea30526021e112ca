import { type DbWork, q, run, statement } from '../../storage/query.ts'
import type { EndpointClaim } from './endpoint-queue.ts'

/** Bounds the transaction: a disabled endpoint may have 100,000 pending deliveries. */
const BATCH = 500

const fail = statement((of: { orgId: string; endpointId: string; now: number; limit: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ status: 'FAILED', next_attempt_at: null, manual: 0, sending_by: null, completed_at: of.now })
    .where('org_id', '=', of.orgId)
    .where(
      'id',
      'in',
      q
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('org_id', '=', of.orgId)
        .where('endpoint_id', '=', of.endpointId)
        .where('next_attempt_at', 'is not', null)
        .limit(of.limit),
    ),
)

/** Fails some of the pending deliveries of a disabled endpoint; true if there may be more. */
export function* failPending({ orgId, endpointId }: EndpointClaim, now: number): DbWork<boolean> {
  return (yield* run(fail, { orgId, endpointId, now, limit: BATCH })) === BATCH
}
