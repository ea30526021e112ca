import type { Clock } from '../../lib/clock.ts'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import type { OutboundCode } from '../../outbound/errors.ts'
import type { SendHttp, HttpResult } from '../../outbound/outgoing-request.ts'
import { parseRetryAfter } from '../../outbound/retry-after.ts'
import type { Contact } from './breaker.ts'
import type { Addressee, Parcel } from './due-deliveries.ts'
import { signedHeaders } from './sign.ts'

/** How one attempt went. */
export interface Attempt {
  readonly startedAt: number
  readonly durationMs: number
  readonly succeeded: boolean
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly error: OutboundCode | 'REDIRECT' | 'STATUS' | null
  readonly contact: Contact
  /** The receiver wants nothing more, ever. */
  readonly gone: boolean
  readonly retryAfterMs: number | null
}

/** An attempt that failed through a fault of ours is none. */
export type Delivered = Attempt | { readonly ours: string }

/** What goes with every letter, besides what signs it. */
export const plainHeaders = { 'content-type': 'application/json', 'user-agent': 'Pharos/1 (webhooks)' } as const

const GONE = 410
/** The answers whose Retry-After is listened to. */
const PATIENCE_ASKED = [429, 503]

/** A longer Retry-After is cut to this. */
const MAX_RETRY_AFTER_MS = DAY_MS

/** Signs the stored bytes and sends them as they are. */
export async function deliver(
  { url, urlFault, keys }: Addressee,
  { eventId, body }: Parcel,
  { post, clock }: { readonly post: SendHttp; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Delivered> {
  const startedAt = clock.now()
  if (urlFault !== null) return failed(startedAt, 0, 'BLOCKED_ADDRESS')
  const headers = Object.assign(signedHeaders(keys, eventId, Math.floor(startedAt / SECOND_MS), body), plainHeaders)
  return judge(await post({ url, headers, body }, signal), startedAt, clock.now())
}

export function judge(posted: HttpResult, startedAt: number, now: number): Delivered {
  const { durationMs } = posted
  if (!posted.answered) return posted.isLocalFault ? { ours: posted.error } : failed(startedAt, durationMs, posted.code)
  const { status, body, retryAfter } = posted
  const succeeded = status >= 200 && status < 300
  return {
    startedAt,
    durationMs,
    succeeded,
    responseStatus: status,
    responseBody: body,
    error: succeeded ? null : status >= 300 && status < 400 ? 'REDIRECT' : 'STATUS',
    contact: 'answered',
    gone: status === GONE,
    retryAfterMs: PATIENCE_ASKED.includes(status) ? parseRetryAfter(retryAfter, now, MAX_RETRY_AFTER_MS) : null,
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
    contact: 'missed',
    gone: false,
    retryAfterMs: null,
  }
}
