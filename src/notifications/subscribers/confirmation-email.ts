import { MINUTE_MS } from '../../lib/clock.ts'
import type { EmailResult } from '../../outbound/email.ts'
import { type DbWork, run, statement } from '../../storage/query.ts'
import { type ClaimRequest, type Lease, Queue } from '../../storage/queue/queue.ts'
import { LEASE_MS } from './claim.ts'
import type { PendingSubscriber } from './types.ts'

/** Short, because somebody is waiting for this e-mail. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]

export const confirmationQueue = new Queue({
  table: 'subscribers',
  key: ['org_id', 'id'],
  due: 'confirm_due_at',
  leaseMs: LEASE_MS,
  columns: ['page_id', 'address', 'confirm_by', 'confirm_attempts'],
})

type ConfirmationLease = Lease<'subscribers', 'org_id' | 'id'>

export interface ConfirmationClaim extends PendingSubscriber {
  readonly attempts: number
  readonly lease: ConfirmationLease
}

/** Claims subscribers whose confirmation e-mail is due. */
export function* claimConfirmations(request: ClaimRequest): DbWork<readonly ConfirmationClaim[]> {
  return (yield* confirmationQueue.claim(request)).map(({ org_id: orgId, id, node, until, ...row }) => ({
    orgId,
    id,
    pageId: row.page_id,
    address: row.address,
    confirmBy: row.confirm_by ?? request.now,
    attempts: row.confirm_attempts,
    lease: { org_id: orgId, id, node, until },
  }))
}

interface ResultUpdate extends ConfirmationLease {
  dueAt: number | null
  attempts: number
  error: string | null
}

const saveResult = statement((update: ResultUpdate) =>
  confirmationQueue.updateClaimed(update).set({
    confirm_due_at: update.dueAt,
    confirm_attempts: update.attempts,
    last_error: update.error,
    claimed_by: null,
  }),
)

/** Records the result of a confirmation e-mail; undefined means that the node stopped before it was sent. */
export function* settleConfirmation(
  claim: ConfirmationClaim,
  result: EmailResult | undefined,
  now: number,
): DbWork<void> {
  const { lease, attempts } = claim
  if (result === undefined) return void (yield* run(saveResult, { ...lease, dueAt: now, attempts, error: null }))
  if (result.ok) return void (yield* run(saveResult, { ...lease, dueAt: null, attempts: attempts + 1, error: null }))
  if (result.fault === 'rejected') return void (yield* confirmationQueue.remove(lease))
  const delayMs = RETRY_DELAYS_MS[attempts]
  const dueAt = delayMs === undefined ? null : now + delayMs
  yield* run(saveResult, { ...lease, dueAt, attempts: attempts + 1, error: result.error })
}

/** For a page that no longer exists. */
export function* dropConfirmation({ lease }: ConfirmationClaim): DbWork<void> {
  yield* confirmationQueue.remove(lease)
}
