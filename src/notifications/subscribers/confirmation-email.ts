import { MINUTE_MS } from '../../lib/clock.ts'
import { type DbWork, run, statement } from '../../storage/query.ts'
import { type ClaimRequest, type Lease, Queue } from '../../storage/queue/queue.ts'
import { LEASE_MS, type Medium } from './claim.ts'
import type { PendingSubscriber, SendResult } from './types.ts'

/** Short, because somebody is waiting for this message. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]

export const confirmationQueue = new Queue({
  table: 'subscribers',
  key: ['org_id', 'id'],
  due: 'confirm_due_at',
  leaseMs: LEASE_MS,
  columns: ['page_id', 'kind', 'address', 'sealed_url', 'confirm_by', 'confirm_attempts'],
})

type ConfirmationLease = Lease<'subscribers', 'org_id' | 'id'>

export interface ConfirmationClaim extends PendingSubscriber {
  readonly attempts: number
  readonly lease: ConfirmationLease
}

const claimOf = {
  EMAIL: confirmationQueue.claiming((is) => is('kind', '=', 'EMAIL')),
  HTTP: confirmationQueue.claiming((is) => is('kind', '!=', 'EMAIL')),
}

/** Claims subscribers whose confirmation message is due. */
export function* claimConfirmations(medium: Medium, request: ClaimRequest): DbWork<readonly ConfirmationClaim[]> {
  return (yield* claimOf[medium](request)).map(({ org_id: orgId, id, node, until, ...row }) => ({
    orgId,
    id,
    pageId: row.page_id,
    kind: row.kind,
    address: row.address,
    sealedUrl: row.sealed_url,
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

/** Records the result of a confirmation message; undefined means that the node stopped before it was sent. */
export function* settleConfirmation(
  claim: ConfirmationClaim,
  result: SendResult | undefined,
  now: number,
): DbWork<void> {
  const { lease, attempts } = claim
  if (result === undefined) return void (yield* run(saveResult, { ...lease, dueAt: now, attempts, error: null }))
  if (result.ok) return void (yield* run(saveResult, { ...lease, dueAt: null, attempts: attempts + 1, error: null }))
  if (result.fault === 'rejected' || result.fault === 'gone') return void (yield* confirmationQueue.remove(lease))
  const delayMs = RETRY_DELAYS_MS[attempts]
  const dueAt = delayMs === undefined ? null : now + delayMs
  yield* run(saveResult, { ...lease, dueAt, attempts: attempts + 1, error: result.error })
}

/** For a page that no longer exists. */
export function* dropConfirmation({ lease }: ConfirmationClaim): DbWork<void> {
  yield* confirmationQueue.remove(lease)
}
