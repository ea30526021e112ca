import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type DbWork, execute, first, q, run, runEach, statement } from '../../storage/query.ts'
import type { EndpointTable } from '../../storage/schema/webhooks.ts'
import type { NextStep } from '../deliveries/next-step.ts'
import { type Attempt, GONE } from './deliver.ts'
import { type DueDelivery, manualOf, pendingOf } from './due-deliveries.ts'
import { claimColumns, type EndpointClaim, type EndpointLease, endpointQueue } from './endpoint-queue.ts'

/** An attempt with what follows it. */
export interface AttemptRecord {
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  readonly step: NextStep
  readonly at: number
}

/** The results of one claim. */
export interface Settlement {
  readonly claim: EndpointClaim
  readonly url: string
  /** In the order in which the attempts ended. */
  readonly records: readonly AttemptRecord[]
  /** Deliveries that are attempted later, without an attempt having been made. */
  readonly postponed: readonly { readonly id: string; readonly dueAt: number }[]
  /** Until when nothing is sent because the receiver does not answer. Manual retries are. */
  readonly pausedUntil: number
  /** Until when nothing at all is sent because of a fault on this side. */
  readonly faultUntil: number
  /** Until when the claim is kept while more is due. */
  readonly keepUntil: number
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
/** Bounds the transaction: a disabled endpoint may have 100,000 pending deliveries. */
const MAX_FAILED = 500

const stateColumns = [
  'disabled_reason',
  'last_delivery_at',
  'failing_since',
  'last_error',
  'last_error_status',
  'updated_at',
] as const

type EndpointState = Pick<EndpointTable, 'enabled' | (typeof stateColumns)[number]>

/**
 * A transaction that adds a delivery locks the same row until it commits (events/emit.ts). So a delivery is either seen by
 * the queries that follow this lock, or its transaction finds the endpoint released and makes it due.
 */
const lockEndpoint = statement((lease: EndpointLease) =>
  endpointQueue.selectClaimed(lease).select(claimColumns).select(stateColumns).forNoKeyUpdate(),
)

/** What the attempts change. */
function changesBy(records: readonly AttemptRecord[], before: EndpointState): Partial<EndpointState> {
  const last = records.at(-1)
  if (last === undefined) return {}
  const lastSuccess = records.findLastIndex(({ attempt }) => attempt.error === null)
  const firstFailureAt = records[lastSuccess + 1]?.at ?? null
  const failingSince = lastSuccess >= 0 ? firstFailureAt : (before.failing_since ?? firstFailureAt)
  const changes = {
    last_delivery_at: last.at,
    failing_since: failingSince,
    last_error: last.attempt.error,
    last_error_status: last.attempt.responseStatus,
  }
  const isGone = records.some(({ attempt }) => attempt.responseStatus === GONE)
  const isFailing = failingSince !== null && failingSince <= last.at - FAILING_MS
  if (before.enabled === 0 || !(isGone || isFailing)) return changes
  return { ...changes, enabled: 0, disabled_reason: isGone ? 'GONE' : 'FAILING', updated_at: last.at }
}

interface Key {
  orgId: string
  endpointId: string
}

const failPending = statement(({ orgId, endpointId, now, limit }: Key & { now: number; limit: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ status: 'FAILED', next_attempt_at: null, manual: 0, sending_by: null, completed_at: now })
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      q
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('org_id', '=', orgId)
        .where('endpoint_id', '=', endpointId)
        .where('next_attempt_at', 'is not', null)
        .limit(limit),
    ),
)

const postpone = statement(({ orgId, id, dueAt }: { orgId: string; id: string; dueAt: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: dueAt, manual: 0 })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'PENDING'),
)

const earliest = statement((key: Key) =>
  pendingOf(key).select('d.next_attempt_at').orderBy('d.next_attempt_at').limit(1),
)

const anyManual = statement((key: Key) => manualOf(key).select('d.id').limit(1))

/**
 * Records the attempts of a claim. Pending deliveries of a disabled endpoint fail. Returns the claim with the endpoint as it is now if
 * more is due; otherwise null, and the endpoint is released until its next delivery is due. Null as well if the claim has ended or
 * the endpoint is deleted: its new holder makes the same attempts again.
 */
export function* settle(settlement: Settlement, now: number, onDisabled: OnDisabled): DbWork<EndpointClaim | null> {
  const { claim, url, records, postponed } = settlement
  const { org_id: orgId, id: endpointId, node, until } = claim
  const lease = { org_id: orgId, id: endpointId, node, until }
  const before = yield* first(lockEndpoint, lease)
  if (before === undefined) return null
  const changes = changesBy(records, before)
  const after = { ...before, ...changes }
  yield* recordAttempts(orgId, records)
  // They came through: a node that ends later under this claim was not ended by them.
  if (claim.crashes > 0 && records.length > 0) yield* endpointQueue.forgetCrashes(lease)
  yield* runEach(
    postpone,
    postponed.map(({ id, dueAt }) => ({ orgId, id, dueAt })),
  )
  if (after.enabled === 0) yield* run(failPending, { orgId, endpointId, now, limit: MAX_FAILED })
  const dueAt = yield* nextDue({ orgId, endpointId }, settlement, now)
  const isKept = dueAt === now && now < settlement.keepUntil
  const claimed = isKept ? { claimed_by: node, due_at: until } : { claimed_by: null, due_at: dueAt }
  yield* execute(endpointQueue.updateClaimed(lease).set({ ...changes, ...claimed }))
  if (after.enabled < before.enabled && after.disabled_reason !== null) {
    yield* onDisabled({ orgId, endpointId, url, reason: after.disabled_reason, now })
  }
  return isKept ? { ...lease, ...after, crashes: records.length > 0 ? 0 : claim.crashes } : null
}

/** Never before now, so that endpoints with a backlog take turns with the others. */
function* nextDue(key: Key, { pausedUntil, faultUntil }: Settlement, now: number): DbWork<number | null> {
  const next = (yield* first(earliest, key))?.next_attempt_at ?? null
  if (next === null) return null
  const isWaiting = pausedUntil > now && (yield* first(anyManual, key)) === undefined
  return Math.max(next, now, faultUntil, isWaiting ? pausedUntil : 0)
}

interface Outcome {
  orgId: string
  id: string
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  number: number
  manualCount: number
  nextAttemptAt: number | null
  responseStatus: number | null
  completedAt: number | null
}

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
    .where('id', '=', o.id),
)

function* recordAttempts(orgId: string, records: readonly AttemptRecord[]): DbWork<void> {
  const updated = yield* runEach(
    updateDelivery,
    records.map(({ delivery, attempt, step, at }) => ({
      orgId,
      id: delivery.id,
      status: step.do === 'done' ? 'SUCCEEDED' : step.do === 'giveUp' ? 'FAILED' : 'PENDING',
      number: delivery.attemptCount + 1,
      manualCount: delivery.manualCount + (delivery.manual ? 1 : 0),
      nextAttemptAt: step.do === 'retry' ? at + step.inMs : null,
      responseStatus: attempt.responseStatus,
      completedAt: step.do === 'retry' ? null : at,
    })),
  )
  // A delivery may have been pruned meanwhile.
  const kept = records.filter((_, i) => updated[i] === 1)
  if (kept.length === 0) return
  const attempts = kept.map(({ delivery, attempt }) => ({
    org_id: orgId,
    delivery_id: delivery.id,
    number: delivery.attemptCount + 1,
    id: newId('att', attempt.startedAt),
    trigger_kind: delivery.manual ? ('MANUAL' as const) : ('SCHEDULED' as const),
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    outcome: attempt.error === null ? ('SUCCEEDED' as const) : ('FAILED' as const),
    response_status: attempt.responseStatus,
    response_body: attempt.responseBody,
    error: attempt.error,
  }))
  yield* execute(q.insertInto('webhook_attempts').values(attempts))
}

const markSending = statement((sending: { orgId: string; id: string; attemptCount: number; node: string }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ sending_by: sending.node })
    .where('org_id', '=', sending.orgId)
    .where('id', '=', sending.id)
    .where('status', '=', 'PENDING')
    .where('attempt_count', '=', sending.attemptCount),
)

/** Marks that an attempt is on the wire, so that a manual retry is refused meanwhile. Changes nothing once it is recorded. */
export function* markOnTheWire({ org_id: orgId, node }: EndpointClaim, delivery: DueDelivery): DbWork<void> {
  const { id, attemptCount } = delivery
  yield* run(markSending, { orgId, id, attemptCount, node })
}
