import { type DbWork, q, run, statement } from '../../storage/query.ts'
import { subscriberOf } from './queries.ts'

interface Confirmation {
  orgId: string
  id: string
  now: number
}

const confirmPending = statement(({ orgId, id, now }: Confirmation) =>
  q
    .updateTable('subscribers')
    .set({
      state: 'CONFIRMED',
      confirmed_at: now,
      confirm_by: null,
      rejections: 0,
      last_error: null,
      failing_since: null,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'PENDING'),
)

/** Idempotent. False if the subscriber no longer exists or was disabled. */
export function* confirm(orgId: string, id: string, now: number): DbWork<boolean> {
  if ((yield* run(confirmPending, { orgId, id, now })) === 1) return true
  return (yield* subscriberOf(orgId, id))?.state === 'CONFIRMED'
}
