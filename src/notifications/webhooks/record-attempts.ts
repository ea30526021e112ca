import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, q, run, runEach, statement } from '../../storage/query.ts'
import type { NextStep } from '../deliveries/next-step.ts'
import type { Attempt } from './deliver.ts'
import type { DueDelivery } from './due-deliveries.ts'
import type { EndpointClaim } from './endpoint-queue.ts'

/** An attempt with what follows it. */
export interface AttemptRecord {
  readonly claim: EndpointClaim
  readonly url: string
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  readonly attemptId: string
  readonly step: NextStep
  readonly at: number
}

export interface DisabledEndpoint {
  readonly orgId: string
  readonly endpointId: string
  readonly url: string
  readonly reason: 'GONE' | 'FAILING'
  readonly now: number
}

/** Runs in the transaction that disables an endpoint. */
export type OnDisabled = (endpoint: DisabledEndpoint) => DbWork<void>

/** An endpoint is disabled after failures alone for this long. */
const FAILING_MS = 5 * DAY_MS

interface Outcome {
  orgId: string
  id: string
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  number: number
  previousNumber: number
  manualCount: number
  nextAttemptAt: number | null
  responseStatus: number | null
  completedAt: number | null
}

/** Conditional: after a lost claim, another node may have recorded the same attempt or failed the delivery. */
const updateDelivery = statement((o: Outcome) =>
  q
    .updateTable('webhook_deliveries')
    .set({
      status: o.status,
      attempt_count: o.number,
      next_attempt_at: o.nextAttemptAt,
      manual: 0,
      manual_count: o.manualCount,
      sending_by: null,
      last_response_status: o.responseStatus,
      completed_at: o.completedAt,
    })
    .where('org_id', '=', o.orgId)
    .where('id', '=', o.id)
    .where('status', '=', 'PENDING')
    .where('attempt_count', '=', o.previousNumber),
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
 * Writes a batch of attempts; returns how many were still to be recorded. Endpoints are written first and in the order of
 * their keys, as in every transaction that touches several of them, so that no two transactions deadlock.
 */
export function* recordAttempts(records: readonly AttemptRecord[], onDisabled: OnDisabled): DbWork<number> {
  const byEndpoint = Map.groupBy(records, ({ claim }) => `${claim.orgId} ${claim.endpointId}`)
  for (const key of [...byEndpoint.keys()].sort()) yield* updateEndpoint(byEndpoint.get(key) ?? [], onDisabled)
  const updated = yield* runEach(updateDelivery, records.map(outcomeOf))
  const recorded = records.filter((_, i) => updated[i] === 1)
  yield* runEach(insertAttempt, recorded.map(newAttemptOf))
  return recorded.length
}

function outcomeOf({ claim, delivery, attempt, step, at }: AttemptRecord): Outcome {
  return {
    orgId: claim.orgId,
    id: delivery.deliveryId,
    status: step.do === 'done' ? 'SUCCEEDED' : step.do === 'giveUp' ? 'FAILED' : 'PENDING',
    number: delivery.attemptCount + 1,
    previousNumber: delivery.attemptCount,
    manualCount: delivery.manualCount + (delivery.manual ? 1 : 0),
    nextAttemptAt: step.do === 'retry' ? at + step.inMs : null,
    responseStatus: attempt.responseStatus,
    completedAt: step.do === 'retry' ? null : at,
  }
}

function newAttemptOf({ claim, delivery, attempt, attemptId }: AttemptRecord): NewAttempt {
  return {
    orgId: claim.orgId,
    deliveryId: delivery.deliveryId,
    number: delivery.attemptCount + 1,
    id: attemptId,
    trigger: delivery.manual ? 'MANUAL' : 'SCHEDULED',
    startedAt: attempt.startedAt,
    durationMs: attempt.durationMs,
    outcome: attempt.succeeded ? 'SUCCEEDED' : 'FAILED',
    responseStatus: attempt.responseStatus,
    responseBody: attempt.responseBody,
    error: attempt.error,
  }
}

interface EndpointUpdate {
  orgId: string
  endpointId: string
  at: number
  failingSince: number | null
  lastError: string | null
  lastErrorStatus: number | null
}

function noting({ orgId, endpointId, at, lastError, lastErrorStatus }: EndpointUpdate) {
  return q
    .updateTable('webhook_endpoints')
    .set({ last_delivery_at: at, last_error: lastError, last_error_status: lastErrorStatus })
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId)
}

const noteSuccess = statement((update: EndpointUpdate) => noting(update).set({ failing_since: update.failingSince }))

const noteFailure = statement((update: EndpointUpdate) =>
  noting(update).set(({ fn, ref, val }) => ({
    failing_since: fn.coalesce(ref('failing_since'), val(update.failingSince)),
  })),
)

interface EndpointKey {
  orgId: string
  endpointId: string
  now: number
}

function disabling({ orgId, endpointId, now }: EndpointKey, reason: 'GONE' | 'FAILING') {
  return q
    .updateTable('webhook_endpoints')
    .set({ enabled: 0, disabled_reason: reason, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId)
    .where('enabled', '=', 1)
}

const disableGone = statement((key: EndpointKey) => disabling(key, 'GONE'))

const disableFailing = statement((key: EndpointKey & { failingBefore: number }) =>
  disabling(key, 'FAILING').where('failing_since', '<=', key.failingBefore),
)

/** Its pending deliveries are failed by the EndpointSender, when it next reads the disabled endpoint. */
function* updateEndpoint(records: readonly AttemptRecord[], onDisabled: OnDisabled): DbWork<void> {
  const latest = records.reduce((a, b) => (b.at >= a.at ? b : a))
  const { url, at } = latest
  const { orgId, endpointId } = latest.claim
  const successes = records.filter(({ attempt }) => attempt.succeeded).map((success) => success.at)
  const failures = records.filter(({ attempt }) => !attempt.succeeded)
  const lastSuccess = Math.max(...successes)
  const failingSince = failures.find((failure) => failure.at > lastSuccess)?.at ?? null
  const lastError = failures.at(-1)?.attempt.error ?? null
  const lastErrorStatus = failures.at(-1)?.attempt.responseStatus ?? null
  const update = { orgId, endpointId, at, failingSince, lastError, lastErrorStatus }
  yield* run(successes.length > 0 ? noteSuccess : noteFailure, update)
  if (failures.length === 0) return
  const isGone = failures.some(({ attempt }) => attempt.gone)
  const key = { orgId, endpointId, now: at }
  const disabled = isGone
    ? yield* run(disableGone, key)
    : yield* run(disableFailing, { ...key, failingBefore: at - FAILING_MS })
  if (disabled === 1) yield* onDisabled({ ...key, url, reason: isGone ? 'GONE' : 'FAILING' })
}
