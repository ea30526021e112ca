import { type DbWork, q, run, statement } from '../../storage/query.ts'

interface Sending {
  orgId: string
  id: string
  /** Of the attempts before this one. */
  attemptCount: number
  node: string
}

const mark = statement(({ orgId, id, attemptCount, node }: Sending) =>
  q
    .updateTable('webhook_deliveries')
    .set({ sending_by: node })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('attempt_count', '=', attemptCount),
)

/** Marks that an attempt is on the wire, so that a manual retry is refused meanwhile. Changes nothing once it is recorded. */
export function* markSending(sending: Sending): DbWork<void> {
  yield* run(mark, sending)
}
