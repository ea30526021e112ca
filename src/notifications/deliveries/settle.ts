import { newId } from '../../lib/ids.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import type { Adapter, Composed, Sent } from './adapter.ts'
import { addDeliveries, type DeliveryClaim, deliveryQueue } from './queue.ts'

interface Settlement {
  readonly claim: DeliveryClaim
  readonly composed: Composed<unknown>
  readonly sent: readonly Sent<unknown>[]
  /** When messages that wait are sent again. */
  readonly resumeAt: number
}

/**
 * Records the results of a claim. The delivery is deleted, unless its own message is to be sent again or further messages follow.
 * False if the claim has ended; then its new holder sends the same messages again.
 */
export function* settle(
  { claim, composed, sent, resumeAt }: Settlement,
  adapter: Adapter,
  now: number,
): DbWork<boolean> {
  const unsent = sent
    .flatMap(({ step, targetId }) => {
      if (step.do === 'wait') return [{ targetId, dueAt: resumeAt, isAttempt: false }]
      return step.do === 'retry' ? [{ targetId, dueAt: now + step.inMs, isAttempt: true }] : []
    })
    .filter(({ dueAt }) => dueAt < claim.expires_at)
  const own = unsent.find(({ targetId }) => targetId === claim.target_id)
  const isKept = own !== undefined || composed.continuesAfter !== undefined
  const advanced = deliveryQueue.updateClaimed(claim).set({
    due_at: own?.dueAt ?? resumeAt,
    claimed_by: null,
    after_num: composed.continuesAfter ?? claim.after_num,
    attempts: claim.attempts + (own?.isAttempt ? 1 : 0),
  })
  const isHeld = isKept ? (yield* execute(advanced.returning('id'))).length === 1 : yield* deliveryQueue.remove(claim)
  if (!isHeld) return false
  yield* addDeliveries(
    unsent
      .filter((each) => each !== own)
      .map((each) => ({
        id: newId('dlv', now),
        org_id: claim.org_id,
        kind: claim.kind,
        medium: claim.medium,
        target_id: each.targetId,
        payload: claim.payload,
        attempts: each.isAttempt ? 1 : 0,
        due_at: each.dueAt,
        expires_at: claim.expires_at,
        created_at: claim.created_at,
      })),
  )
  if (adapter.settle !== undefined) yield* adapter.settle(claim, sent, now)
  return true
}
