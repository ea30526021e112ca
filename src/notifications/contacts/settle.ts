import { sql } from 'kysely'
import { type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import { nextStep } from '../deliveries/next-step.ts'
import type { Batch } from './batch.ts'
import { type Claim, type ContactLease, contactQueue } from './claim.ts'

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

const recordSuccess = statement((success: ContactLease & { now: number; holdUntil: number }) =>
  contactQueue.updateClaimed(success).set({
    claimed_by: null,
    due_at: null,
    hold_until: success.holdUntil,
    refused_until: 0,
    last_sent_at: success.now,
    last_error: null,
    failing_since: null,
  }),
)

interface RecordedFailure extends ContactLease {
  now: number
  holdUntil: number
  refusedUntil: number
  error: string
}

const recordFailure = statement((failure: RecordedFailure) =>
  contactQueue.updateClaimed(failure).set({
    claimed_by: null,
    due_at: null,
    hold_until: failure.holdUntil,
    refused_until: failure.refusedUntil,
    last_error: failure.error,
    failing_since: sql`coalesce(failing_since, ${failure.now})`,
  }),
)

interface ContactKey {
  orgId: string
  contactId: string
}

/** The pending alerts with a message id are exactly those that the message contained (see `collectBatch`). */
const attempted = ({ orgId, contactId }: ContactKey) =>
  q
    .updateTable('alerts')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('due_at', 'is not', null)
    .where('message_id', 'is not', null)

const markSent = statement((sent: ContactKey & { now: number }) =>
  attempted(sent).set({
    due_at: null,
    outcome: 'SENT',
    settled_at: sent.now,
    attempts: sql<number>`attempts + 1`,
  }),
)

interface Attempt extends ContactKey {
  attempts: number
  at: number
}

/** An alert whose own retry was not due yet was sent along, but the failed attempt does not count for it. */
const counted = (attempt: Attempt) =>
  attempted(attempt).where('attempts', '=', attempt.attempts).where('due_at', '<=', attempt.at)

const retryLater = statement((attempt: Attempt & { dueAt: number }) =>
  counted(attempt).set({ attempts: sql<number>`attempts + 1`, due_at: attempt.dueAt }),
)

const giveUp = statement((attempt: Attempt & { now: number }) =>
  counted(attempt).set({
    attempts: sql<number>`attempts + 1`,
    due_at: null,
    outcome: 'GIVEN_UP',
    settled_at: attempt.now,
  }),
)

const closeThread = statement(({ orgId, contactId, messageId }: ContactKey & { messageId: string }) =>
  q
    .deleteFrom('alert_threads')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('message_id', '=', messageId),
)

const nextDue = statement(({ orgId, contactId }: ContactKey) =>
  q
    .selectFrom('alerts')
    .select((is) => is.fn.min('due_at').as('at'))
    .select(sql<number | null>`min(case when kind = 'opened' then due_at end)`.as('urgentAt'))
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('due_at', 'is not', null),
)

const makeDue = statement(({ orgId, contactId, at }: ContactKey & { at: number }) =>
  q
    .updateTable('contacts')
    .set({ due_at: sql`case when hold_until > ${at} then hold_until else ${at} end` })
    .where('org_id', '=', orgId)
    .where('id', '=', contactId)
    .where('claimed_by', 'is', null),
)

/** Outages do not wait for the spacing. */
const makeUrgentlyDue = statement(({ orgId, contactId, at }: ContactKey & { at: number }) =>
  q
    .updateTable('contacts')
    .set({ due_at: sql`case when refused_until > ${at} then refused_until else ${at} end` })
    .where('org_id', '=', orgId)
    .where('id', '=', contactId)
    .where('claimed_by', 'is', null)
    .where(sql<boolean>`(due_at > ${at} and due_at > refused_until)`),
)

/** Makes the contact due again if alerts were added meanwhile or are to be retried. */
function* scheduleNext({ orgId, contactId }: Claim): DbWork<void> {
  const { at, urgentAt } = (yield* first(nextDue, { orgId, contactId })) ?? {}
  if (at != null) yield* run(makeDue, { orgId, contactId, at })
  if (urgentAt != null) yield* run(makeUrgentlyDue, { orgId, contactId, at: urgentAt })
}

/** Gives a claim back without having sent anything. */
export function* releaseClaim(claim: Claim): DbWork<void> {
  if (yield* contactQueue.release(claim.lease, null)) yield* scheduleNext(claim)
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
  const { orgId, contactId, lease } = claim
  const holdUntil = now + timing.spacingMs - timing.groupWaitMs
  const isHeld = wasSent
    ? (yield* run(recordSuccess, { ...lease, now, holdUntil })) === 1
    : yield* contactQueue.release(lease, null)
  if (!isHeld) return false
  yield* run(markSent, { orgId, contactId, now })
  yield* runEach(
    closeThread,
    resolvedThreads.map((messageId) => ({ orgId, contactId, messageId })),
  )
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
  const { orgId, contactId, lease, claimedAt } = claim
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
  if ((yield* run(recordFailure, { ...lease, now, holdUntil, refusedUntil, error: failure.error })) === 0) return 0
  let givenUp = 0
  for (const { attempts, step } of steps) {
    const attempt = { orgId, contactId, attempts, at: claimedAt }
    if (step.do === 'giveUp') givenUp += yield* run(giveUp, { ...attempt, now })
    if (step.do === 'retry') yield* run(retryLater, { ...attempt, dueAt: now + step.inMs - timing.groupWaitMs })
  }
  yield* scheduleNext(claim)
  return givenUp
}
