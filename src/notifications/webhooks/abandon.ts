import { q, run, statement, type Work } from '../../storage/query.ts'
import type { Claim } from './claim.ts'

/** Bounds how long one transaction takes: a disabled endpoint may have left a hundred thousand behind. */
const AT_ONCE = 500

const giveUp = statement(({ orgId, endpointId, now, limit }: Claim & { now: number; limit: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ status: 'FAILED', next_attempt_at: null, manual: 0, completed_at: now })
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      q
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('org_id', '=', orgId)
        .where('endpoint_id', '=', endpointId)
        .where('next_attempt_at', 'is not', null)
        .limit(limit),
    ),
)

/** Gives up some of what waits for an endpoint that is disabled; says whether there may be more. */
export function* abandonSome({ orgId, endpointId }: Claim, now: number): Work<boolean> {
  return (yield* run(giveUp, { orgId, endpointId, now, limit: AT_ONCE })) === AT_ONCE
}
