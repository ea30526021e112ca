import type { Clock } from '../../lib/clock.ts'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import type { OutboundCode } from '../../outbound/errors.ts'
import type { SendHttp } from '../../outbound/outgoing-request.ts'
import { parseRetryAfter } from '../../outbound/retry-after.ts'
import { type NextStep, nextStep, type SendResult } from '../deliveries/next-step.ts'
import type { DueDelivery, Endpoint } from './due-deliveries.ts'
import { signedHeaders } from './sign.ts'

/** The outcome of one attempt. */
export interface Attempt {
  readonly startedAt: number
  readonly durationMs: number
  /** Null if the receiver could not be reached. */
  readonly responseStatus: number | null
  readonly responseBody: string | null
  /** Null if it succeeded. */
  readonly error: OutboundCode | 'REDIRECT' | 'STATUS' | null
  readonly retryAfterMs: number | null
}

/** A local fault (no sockets left, the node stops) says nothing about the receiver and is not counted as an attempt. */
export type DeliveryResult = Attempt | { readonly localFault: string }

/** The headers besides the signature. */
export const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Pharos/1 (webhooks)' } as const

/** With this status the receiver says that it does not exist any more: the endpoint is to be disabled. */
export const GONE = 410
const HONOURS_RETRY_AFTER = [429, 503]

/** A longer Retry-After is cut to this. */
const MAX_RETRY_AFTER_MS = DAY_MS

/** Signs the stored bytes and sends them unchanged. */
export async function deliver(
  { url, urlProblem, keys }: Endpoint,
  { eventId, body }: DueDelivery,
  { post, clock }: { readonly post: SendHttp; readonly clock: Clock },
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const startedAt = clock.now()
  const unreached = { startedAt, durationMs: 0, responseStatus: null, responseBody: null, retryAfterMs: null }
  if (urlProblem !== null) return { ...unreached, error: 'BLOCKED_ADDRESS' }
  const headers = Object.assign(signedHeaders(keys, eventId, Math.floor(startedAt / SECOND_MS), body), FIXED_HEADERS)
  const result = await post({ url, headers, body }, signal)
  const { durationMs } = result
  if (!result.answered) {
    return result.isLocalFault ? { localFault: result.error } : { ...unreached, durationMs, error: result.code }
  }
  const { status, retryAfter } = result
  return {
    startedAt,
    durationMs,
    responseStatus: status,
    responseBody: result.body,
    error: status >= 200 && status < 300 ? null : status >= 300 && status < 400 ? 'REDIRECT' : 'STATUS',
    retryAfterMs: HONOURS_RETRY_AFTER.includes(status)
      ? parseRetryAfter(retryAfter, clock.now(), MAX_RETRY_AFTER_MS)
      : null,
  }
}

const NO_JITTER = 0.5

/** A manual attempt is not repeated; the scheduled attempt that it came before stays where it was. */
export function stepAfter(
  { error, retryAfterMs }: Attempt,
  { attemptCount, manualCount, manual, plannedAt }: DueDelivery,
  at: number,
  { delaysSeconds, random }: { readonly delaysSeconds: readonly number[]; readonly random: () => number },
): NextStep {
  const result: SendResult = error === null ? { ok: true } : { ok: false, fault: 'refused', error, retryAfterMs }
  if (manual) return nextStep(result, 1, plannedAt === null ? [] : [Math.max(0, plannedAt - at)], NO_JITTER)
  // The first delay is the one before the first attempt.
  const delaysMs = delaysSeconds.slice(1).map((seconds) => seconds * SECOND_MS)
  return nextStep(result, attemptCount + 1 - manualCount, delaysMs, random())
}
