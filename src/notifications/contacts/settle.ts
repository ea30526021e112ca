import { type RawBuilder, sql } from 'kysely'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { nextStep } from '../deliveries/next-step.ts'
import type { Batch } from './batch.ts'
import { type Claim, contactQueue, dueByAlerts } from './claim.ts'

export interface SendTiming {
  /** How long an alert waits for others to be sent in the same message. */
  readonly groupWaitMs: number
  /** The least time between two messages to one contact. */
  readonly spacingMs: number
  readonly retryDelaysMs: readonly number[]
}

export interface Failure {
  readonly error: string
  readonly retryAfterMs: number | null
}

/** The pending alerts with a message id are exactly those that the message contained (see `collectBatch`). */
const attempted = ({ org_id: orgId, id }: Claim) =>
  q
    .updateTable('alerts')
    .set({ attempts: sql<number>`attempts + 1` })
    .where('org_id', '=', orgId)
    .where('contact_id', '=', id)
    .where('due_at', 'is not', null)
    .where('message_id', 'is not', null)

/** Writes the result to the contact and ends the claim. False if the claim has ended. */
function* record(claim: Claim, result: Partial<ContactTable> | { failing_since: RawBuilder<number> }): DbWork<boolean> {
  const update = contactQueue.updateClaimed(claim).set({ claimed_by: null, due_at: null, ...result })
  return (yield* execute(update.returning('id'))).length === 1
}

/** Makes the contact due again if alerts were added meanwhile or are to be retried. */
function* scheduleNext({ org_id: orgId, id }: Claim): DbWork<void> {
  const unclaimed = q.updateTable('contacts').where('org_id', '=', orgId).where('id', '=', id)
  yield* execute(unclaimed.set({ due_at: dueByAlerts }).where('claimed_by', 'is', null))
}

/** Gives a claim back without having sent anything. */
export function* releaseClaim(claim: Claim): DbWork<void> {
  if (yield* contactQueue.release(claim, null)) yield* scheduleNext(claim)
}

/**
 * Records that the message of a batch arrived. `wasSent` is false if the channel needed no request for these alerts.
 * False if the claim has ended; then its new holder decides.
 */
export function* settleSuccess(
  { claim, resolvedThreads = [] }: Batch,
  wasSent: boolean,
  now: number,
  timing: SendTiming,
): DbWork<boolean> {
  const holdUntil = now + timing.spacingMs - timing.groupWaitMs
  const success = { hold_until: holdUntil, refused_until: 0, last_sent_at: now, last_error: null, failing_since: null }
  if (!(yield* record(claim, wasSent ? success : {}))) return false
  yield* execute(attempted(claim).set({ due_at: null, outcome: 'SENT', settled_at: now }))
  if (resolvedThreads.length > 0) {
    const threads = q.deleteFrom('alert_threads').where('org_id', '=', claim.org_id).where('contact_id', '=', claim.id)
    yield* execute(threads.where('message_id', 'in', resolvedThreads))
  }
  yield* scheduleNext(claim)
  return true
}

/** Records that the message of a batch failed, and schedules the retries. Returns how many alerts were given up. */
export function* settleFailure(
  { claim, alerts }: Batch,
  failure: Failure,
  now: number,
  timing: SendTiming,
  random: () => number,
): DbWork<number> {
  const { claimedAt } = claim
  const attemptCounts = new Set(alerts.filter(({ dueAt }) => dueAt <= claimedAt).map(({ attempts }) => attempts))
  // In descending order: an update that raises `attempts` must not match the alerts of the next update.
  const steps = [...attemptCounts]
    .sort((a, b) => b - a)
    .map((attempts) => ({
      attempts,
      step: nextStep({ ok: false, fault: 'refused', ...failure }, attempts + 1, timing.retryDelaysMs, random()),
    }))
  const soonestMs = Math.min(timing.spacingMs, ...steps.flatMap(({ step }) => (step.do === 'retry' ? [step.inMs] : [])))
  const holdUntil = now + Math.max(soonestMs, failure.retryAfterMs ?? 0) - timing.groupWaitMs
  const refusedUntil = failure.retryAfterMs === null ? 0 : now + failure.retryAfterMs - timing.groupWaitMs
  const recorded = yield* record(claim, {
    hold_until: holdUntil,
    refused_until: refusedUntil,
    last_error: failure.error,
    failing_since: sql<number>`coalesce(failing_since, ${now})`,
  })
  if (!recorded) return 0
  let givenUp = 0
  for (const { attempts, step } of steps) {
    // An alert whose own retry was not due yet was sent along, but the failed attempt does not count for it.
    const counted = attempted(claim).where('attempts', '=', attempts).where('due_at', '<=', claimedAt)
    if (step.do === 'retry') yield* execute(counted.set({ due_at: now + step.inMs - timing.groupWaitMs }))
    if (step.do !== 'giveUp') continue
    const ended = counted.set({ due_at: null, outcome: 'GIVEN_UP', settled_at: now })
    givenUp += (yield* execute(ended.returning('num'))).length
  }
  yield* scheduleNext(claim)
  return givenUp
}
