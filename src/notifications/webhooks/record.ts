import { DAY_MS } from '../../lib/clock.ts'
import { q, run, runEach, statement, type Work } from '../../storage/query.ts'
import type { Claim } from './claim.ts'
import type { Attempt } from './deliver.ts'
import type { NextStep } from './next-step.ts'
import type { Parcel } from './page.ts'

/** An attempt, and what is to follow it. */
export interface Recording {
  readonly claim: Claim
  readonly url: string
  readonly parcel: Parcel
  readonly attempt: Attempt
  readonly attemptId: string
  readonly step: NextStep
  readonly at: number
}

export interface Disabling {
  readonly orgId: string
  readonly endpointId: string
  readonly url: string
  readonly reason: 'GONE' | 'FAILING'
  readonly now: number
}

/** Hears of an endpoint that the service has disabled, in the transaction in which it does. */
export type OnDisabled = (disabling: Disabling) => Work<void>

/** Nothing but failures for so long disables an endpoint. */
const FAILING_MS = 5 * DAY_MS

interface Settled {
  orgId: string
  id: string
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  number: number
  before: number
  nextAttemptAt: number | null
  responseStatus: number | null
  completedAt: number | null
}

/** Only if nobody else has recorded the same attempt, or given the delivery up: a claim may have been lost meanwhile. */
const settle = statement((s: Settled) =>
  q
    .updateTable('webhook_deliveries')
    .set({
      status: s.status,
      attempt_count: s.number,
      next_attempt_at: s.nextAttemptAt,
      manual: 0,
      last_response_status: s.responseStatus,
      completed_at: s.completedAt,
    })
    .where('org_id', '=', s.orgId)
    .where('id', '=', s.id)
    .where('status', '=', 'PENDING')
    .where('attempt_count', '=', s.before),
)

interface NewAttempt {
  orgId: string
  deliveryId: string
  number: number
  id: string
  trigger: 'SCHEDULED' | 'MANUAL'
  startedAt: number
  durationMs: number
  outcome: 'SUCCEEDED' | 'FAILED'
  responseStatus: number | null
  responseBody: string | null
  error: string | null
}

const insertAttempt = statement((a: NewAttempt) =>
  q.insertInto('webhook_attempts').values({
    org_id: a.orgId,
    delivery_id: a.deliveryId,
    number: a.number,
    id: a.id,
    trigger_kind: a.trigger,
    started_at: a.startedAt,
    duration_ms: a.durationMs,
    outcome: a.outcome,
    response_status: a.responseStatus,
    response_body: a.responseBody,
    error: a.error,
  }),
)

/**
 * Writes many attempts together; says how many of them counted. Endpoints come first and in the order of their ids, as
 * they do wherever something happens to one of them, so that two transactions cannot wait for each other.
 */
export function* recordAll(recordings: readonly Recording[], onDisabled: OnDisabled): Work<number> {
  const byEndpoint = Map.groupBy(recordings, ({ claim }) => claim.endpointId)
  for (const id of [...byEndpoint.keys()].sort()) yield* noteEndpoint(byEndpoint.get(id) ?? [], onDisabled)
  const settled = yield* runEach(settle, recordings.map(settledOf))
  const counted = recordings.filter((_, i) => settled[i] === 1)
  yield* runEach(insertAttempt, counted.map(attemptOf))
  return counted.length
}

function settledOf({ claim, parcel, attempt, step, at }: Recording): Settled {
  return {
    orgId: claim.orgId,
    id: parcel.deliveryId,
    status: step.do === 'done' ? 'SUCCEEDED' : step.do === 'giveUp' ? 'FAILED' : 'PENDING',
    number: parcel.attemptCount + 1,
    before: parcel.attemptCount,
    nextAttemptAt: step.do === 'retry' ? at + step.inMs : null,
    responseStatus: attempt.responseStatus,
    completedAt: step.do === 'retry' ? null : at,
  }
}

function attemptOf({ claim, parcel, attempt, attemptId }: Recording): NewAttempt {
  return {
    orgId: claim.orgId,
    deliveryId: parcel.deliveryId,
    number: parcel.attemptCount + 1,
    id: attemptId,
    trigger: parcel.manual ? 'MANUAL' : 'SCHEDULED',
    startedAt: attempt.startedAt,
    durationMs: attempt.durationMs,
    outcome: attempt.succeeded ? 'SUCCEEDED' : 'FAILED',
    responseStatus: attempt.responseStatus,
    responseBody: attempt.responseBody,
    error: attempt.error,
  }
}

interface Noted {
  orgId: string
  endpointId: string
  at: number
  failingSince: number | null
}

const noteSuccess = statement(({ orgId, endpointId, at, failingSince }: Noted) =>
  q
    .updateTable('webhook_endpoints')
    .set({ last_delivery_at: at, failing_since: failingSince })
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId),
)

const noteFailure = statement(({ orgId, endpointId, at, failingSince }: Noted) =>
  q
    .updateTable('webhook_endpoints')
    .set(({ fn, ref, val }) => ({
      last_delivery_at: at,
      failing_since: fn.coalesce(ref('failing_since'), val(failingSince)),
    }))
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId),
)

interface ToDisable {
  orgId: string
  endpointId: string
  now: number
}

function disabling({ orgId, endpointId, now }: ToDisable, reason: 'GONE' | 'FAILING') {
  return q
    .updateTable('webhook_endpoints')
    .set({ enabled: 0, disabled_reason: reason, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId)
    .where('enabled', '=', 1)
}

const disableGone = statement((it: ToDisable) => disabling(it, 'GONE'))

const disableFailing = statement((it: ToDisable & { before: number }) =>
  disabling(it, 'FAILING').where('failing_since', '<=', it.before),
)

/** What the latest attempts say about their endpoint. What waits for one that is disabled is given up by its courier. */
function* noteEndpoint(recordings: readonly Recording[], onDisabled: OnDisabled): Work<void> {
  const latest = recordings.reduce((a, b) => (b.at >= a.at ? b : a))
  const { claim, url, at } = latest
  const successes = recordings.filter(({ attempt }) => attempt.succeeded).map((success) => success.at)
  const failures = recordings.filter(({ attempt }) => !attempt.succeeded)
  const lastSuccess = Math.max(...successes)
  const failingSince = failures.find((failure) => failure.at > lastSuccess)?.at ?? null
  yield* run(successes.length > 0 ? noteSuccess : noteFailure, { ...claim, at, failingSince })
  if (failures.length === 0) return
  const isGone = failures.some(({ attempt }) => attempt.gone)
  const disabled = isGone
    ? yield* run(disableGone, { ...claim, now: at })
    : yield* run(disableFailing, { ...claim, now: at, before: at - FAILING_MS })
  if (disabled === 1) yield* onDisabled({ ...claim, url, reason: isGone ? 'GONE' : 'FAILING', now: at })
}
