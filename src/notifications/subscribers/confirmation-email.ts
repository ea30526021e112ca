import { MINUTE_MS } from '../../lib/clock.ts'
import type { EmailResult } from '../../outbound/email.ts'
import { all, type DbWork, q, run, statement } from '../../storage/query.ts'
import { LEASE_MS } from './claim.ts'
import type { PendingSubscriber } from './types.ts'

/** Somebody waits for this mail: after a few attempts they have asked again, or gone away. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]

/** Somebody who is ours to ask. */
export interface ConfirmationClaim extends PendingSubscriber {
  readonly attempts: number
  readonly node: string
  readonly until: number
}

interface Taking {
  now: number
  until: number
  node: string
  limit: number
}

const take = statement(({ now, until, node, limit }: Taking) =>
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

/** Claims those who are to be asked whether it was they who subscribed. */
export function* claimConfirmations(node: string, now: number, limit: number): DbWork<readonly ConfirmationClaim[]> {
  const until = now + LEASE_MS
  return (yield* all(take, { now, until, node, limit })).map((row) => ({
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

interface Held {
  orgId: string
  id: string
  node: string
  until: number
}

const settle = statement((held: Held & { dueAt: number | null; attempts: number; error: string | null }) =>
  q
    .updateTable('subscribers')
    .set({
      confirm_due_at: held.dueAt,
      confirm_attempts: held.attempts,
      last_error: held.error,
      claimed_by: null,
    })
    .where('org_id', '=', held.orgId)
    .where('id', '=', held.id)
    .where('claimed_by', '=', held.node)
    .where('confirm_due_at', '=', held.until),
)

const forget = statement(({ orgId, id, node, until }: Held) =>
  q
    .deleteFrom('subscribers')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('claimed_by', '=', node)
    .where('confirm_due_at', '=', until),
)

/** Notes what came of a mail that asks; `mailed` is undefined where nothing was sent because the node stops. */
export function* settleConfirmation(
  claim: ConfirmationClaim,
  mailed: EmailResult | undefined,
  now: number,
): DbWork<void> {
  const { orgId, id, node, until, attempts } = claim
  const held = { orgId, id, node, until }
  if (mailed === undefined) return void (yield* run(settle, { ...held, dueAt: now, attempts, error: null }))
  if (mailed.ok) return void (yield* run(settle, { ...held, dueAt: null, attempts: attempts + 1, error: null }))
  if (mailed.fault === 'rejected') return void (yield* run(forget, held))
  const delayMs = RETRY_DELAYS_MS[attempts]
  const dueAt = delayMs === undefined ? null : now + delayMs
  yield* run(settle, { ...held, dueAt, attempts: attempts + 1, error: mailed.error })
}

/** The page is gone: there is nothing to subscribe to. */
export function* dropConfirmation({ orgId, id, node, until }: ConfirmationClaim): DbWork<void> {
  yield* run(forget, { orgId, id, node, until })
}
