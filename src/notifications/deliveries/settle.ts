import { newId } from '../../lib/ids.ts'
import { type DbWork, run, statement } from '../../storage/query.ts'
import type { Lease } from '../../storage/queue/queue.ts'
import type { Adapter, Composed, Sent } from './adapter.ts'
import { addDeliveries, type DeliveryClaim, deliveryQueue } from './queue.ts'

const advance = statement((update: Lease<'deliveries', 'id'> & { dueAt: number; afterNum: number; attempts: number }) =>
  deliveryQueue.updateClaimed(update).set({
    due_at: update.dueAt,
    claimed_by: null,
    after_num: update.afterNum,
    attempts: update.attempts,
  }),
)

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
  const { id, node, until } = claim
  const lease = { id, node, until }
  const own = unsent.find(({ targetId }) => targetId === claim.target_id)
  const afterNum = composed.continuesAfter ?? claim.after_num
  const isKept = own !== undefined || composed.continuesAfter !== undefined
  const dueAt = own?.dueAt ?? resumeAt
  const attempts = claim.attempts + (own?.isAttempt ? 1 : 0)
  const isHeld = isKept
    ? (yield* run(advance, { ...lease, dueAt, afterNum, attempts })) === 1
    : yield* deliveryQueue.remove(lease)
  if (!isHeld) return false
  yield* addDeliveries(
    unsent
      .filter((each) => each !== own)
      .map((each) => ({
        id: newId('dlv', now),
        orgId: claim.org_id,
        kind: claim.kind,
        medium: claim.medium,
        targetId: each.targetId,
        payload: claim.payload,
        attempts: each.isAttempt ? 1 : 0,
        dueAt: each.dueAt,
        expiresAt: claim.expires_at,
        createdAt: claim.created_at,
      })),
  )
  yield* adapter.settle?.(claim, sent, now) ?? nothing()
  return true
}

function* nothing(): DbWork<void> {}
