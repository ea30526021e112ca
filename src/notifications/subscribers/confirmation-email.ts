import { MINUTE_MS } from '../../lib/clock.ts'
import type { EmailResult } from '../../outbound/email.ts'
import { all, type DbWork, q, run, statement } from '../../storage/query.ts'
import { LEASE_MS } from './claim.ts'
import type { PendingSubscriber } from './types.ts'

/** Short, because somebody is waiting for this e-mail. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]

export interface ConfirmationClaim extends PendingSubscriber {
  readonly attempts: number
  readonly node: string
  readonly until: number
}

interface ClaimUpdate {
  now: number
  until: number
  node: string
  limit: number
}

const claimDue = statement(({ now, until, node, limit }: ClaimUpdate) =>
  q
    .updateTable('subscribers')
    .set({ confirm_due_at: until, claimed_by: node })
    .where('num', 'in', (of) =>
      of
        .selectFrom('subscribers')
        .select('num')
        .where('confirm_due_at', '<=', now)
        .orderBy('confirm_due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['org_id', 'id', 'page_id', 'address', 'confirm_by', 'confirm_attempts']),
)

/** Claims subscribers whose confirmation e-mail is due. */
export function* claimConfirmations(node: string, now: number, limit: number): DbWork<readonly ConfirmationClaim[]> {
  const until = now + LEASE_MS
  return (yield* all(claimDue, { now, until, node, limit })).map((row) => ({
    orgId: row.org_id,
    id: row.id,
    pageId: row.page_id,
    address: row.address,
    confirmBy: row.confirm_by ?? now,
    attempts: row.confirm_attempts,
    node,
    until,
  }))
}

interface ClaimKey {
  orgId: string
  id: string
  node: string
  until: number
}

const saveResult = statement((update: ClaimKey & { dueAt: number | null; attempts: number; error: string | null }) =>
  q
    .updateTable('subscribers')
    .set({
      confirm_due_at: update.dueAt,
      confirm_attempts: update.attempts,
      last_error: update.error,
      claimed_by: null,
    })
    .where('org_id', '=', update.orgId)
    .where('id', '=', update.id)
    .where('claimed_by', '=', update.node)
    .where('confirm_due_at', '=', update.until),
)

const deleteSubscriber = statement(({ orgId, id, node, until }: ClaimKey) =>
  q
    .deleteFrom('subscribers')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('claimed_by', '=', node)
    .where('confirm_due_at', '=', until),
)

/** Records the result of a confirmation e-mail; undefined means that the node stopped before it was sent. */
export function* settleConfirmation(
  claim: ConfirmationClaim,
  result: EmailResult | undefined,
  now: number,
): DbWork<void> {
  const { orgId, id, node, until, attempts } = claim
  const key = { orgId, id, node, until }
  if (result === undefined) return void (yield* run(saveResult, { ...key, dueAt: now, attempts, error: null }))
  if (result.ok) return void (yield* run(saveResult, { ...key, dueAt: null, attempts: attempts + 1, error: null }))
  if (result.fault === 'rejected') return void (yield* run(deleteSubscriber, key))
  const delayMs = RETRY_DELAYS_MS[attempts]
  const dueAt = delayMs === undefined ? null : now + delayMs
  yield* run(saveResult, { ...key, dueAt, attempts: attempts + 1, error: result.error })
}

/** For a page that no longer exists. */
export function* dropConfirmation({ orgId, id, node, until }: ConfirmationClaim): DbWork<void> {
  yield* run(deleteSubscriber, { orgId, id, node, until })
}
