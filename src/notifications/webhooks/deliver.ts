import type { Clock } from '../../lib/clock.ts'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import type { OutboundCode } from '../../outbound/errors.ts'
import type { HttpResult, SendHttp } from '../../outbound/outgoing-request.ts'
import { parseRetryAfter } from '../../outbound/retry-after.ts'
import type { Reachability } from '../deliveries/breaker.ts'
import { type NextStep, nextStep, type SendResult } from '../deliveries/next-step.ts'
import type { DueDelivery, Endpoint } from './due-deliveries.ts'
import { signedHeaders } from './sign.ts'

/** The outcome of one attempt. */
export interface Attempt {
  readonly startedAt: number
  readonly durationMs: number
  readonly succeeded: boolean
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly error: OutboundCode | 'REDIRECT' | 'STATUS' | null
  readonly reachability: Reachability
  /** The receiver answered 410: the endpoint is to be disabled. */
  readonly gone: boolean
  readonly retryAfterMs: number | null
}

/** A local fault (no sockets left, the node stops) says nothing about the receiver and is not counted as an attempt. */
export type DeliveryResult = Attempt | { readonly localFault: string }

/** The headers besides the signature. */
export const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Pharos/1 (webhooks)' } as const

const GONE = 410
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
  if (urlProblem !== null) return failed(startedAt, 0, 'BLOCKED_ADDRESS')
  const headers = Object.assign(signedHeaders(keys, eventId, Math.floor(startedAt / SECOND_MS), body), FIXED_HEADERS)
  return judge(await post({ url, headers, body }, signal), startedAt, clock.now())
}

function judge(result: HttpResult, startedAt: number, now: number): DeliveryResult {
  const { durationMs } = result
  if (!result.answered) {
    return result.isLocalFault ? { localFault: result.error } : failed(startedAt, durationMs, result.code)
  }
  const { status, body, retryAfter } = result
  const succeeded = status >= 200 && status < 300
  return {
    startedAt,
    durationMs,
    succeeded,
    responseStatus: status,
    responseBody: body,
    error: succeeded ? null : status >= 300 && status < 400 ? 'REDIRECT' : 'STATUS',
    reachability: 'answered',
    gone: status === GONE,
    retryAfterMs: HONOURS_RETRY_AFTER.includes(status) ? parseRetryAfter(retryAfter, now, MAX_RETRY_AFTER_MS) : null,
  }
}

function failed(startedAt: number, durationMs: number, error: OutboundCode): Attempt {
  return {
    startedAt,
    durationMs,
    succeeded: false,
    responseStatus: null,
    responseBody: null,
    error,
    reachability: 'unreachable',
    gone: false,
    retryAfterMs: null,
  }
}

const NO_JITTER = 0.5

/** A manual attempt is not repeated; the scheduled attempt that it came before stays where it was. */
export function stepAfter(
  { succeeded, error, retryAfterMs }: Attempt,
  { attemptCount, manualCount, manual, plannedAt }: DueDelivery,
  at: number,
  { delaysSeconds, random }: { readonly delaysSeconds: readonly number[]; readonly random: () => number },
): NextStep {
  const result: SendResult = succeeded
    ? { ok: true }
    : { ok: false, fault: 'refused', error: error ?? '', retryAfterMs }
  if (manual) return nextStep(result, 1, plannedAt === null ? [] : [Math.max(0, plannedAt - at)], NO_JITTER)
  // The first delay is the one before the first attempt.
  const delaysMs = delaysSeconds.slice(1).map((seconds) => seconds * SECOND_MS)
  return nextStep(result, attemptCount + 1 - manualCount, delaysMs, random())
}
