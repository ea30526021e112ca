import { type DbWork, q, run, statement } from '../../storage/query.ts'
import { subscriberOf } from './queries.ts'

interface Answer {
  orgId: string
  id: string
  now: number
}

const confirmPending = statement(({ orgId, id, now }: Answer) =>
  q
    .updateTable('subscribers')
    .set({
      state: 'CONFIRMED',
      confirmed_at: now,
      confirm_by: null,
      confirm_due_at: null,
      claimed_by: null,
      rejections: 0,
      last_error: null,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'PENDING'),
)

/** Whoever has the link from the mail reads the mail of that address. False where nobody waits for it any more. */
export function* confirm(orgId: string, id: string, now: number): DbWork<boolean> {
  if ((yield* run(confirmPending, { orgId, id, now })) === 1) return true
  return (yield* subscriberOf(orgId, id))?.state === 'CONFIRMED'
}
