import { HOUR_MS } from '../../lib/clock.ts'
import type { SendEmail } from '../../outbound/email.ts'
import type { SendHttp } from '../../outbound/outgoing-request.ts'
import { parseRetryAfter } from '../../outbound/retry-after.ts'
import type { Message } from './adapter.ts'
import type { SendResult } from './next-step.ts'

type Send = (message: Message, signal: AbortSignal) => Promise<SendResult>

/** Longer waits that an endpoint asks for are cut to this. */
const MAX_RETRY_AFTER_MS = 2 * HOUR_MS

export function sendByEmail(mail: SendEmail): Send {
  return async (message, signal) =>
    'email' in message ? mail(message.email, signal) : { ok: false, fault: 'refused', error: 'Not an e-mail' }
}

/** Posts JSON through the address guard. The error does not quote the response, which a stranger's server wrote. */
export function sendByHttp(post: SendHttp, now: () => number): Send {
  return async (message, signal) => {
    if (!('body' in message) || message.url === undefined) {
      const error = 'The URL cannot be decrypted; add the earlier key to PHAROS_SECRET_KEY'
      return { ok: false, fault: 'refused', error }
    }
    const headers = { 'content-type': 'application/json', 'user-agent': 'Pharos-StatusPage/1' }
    const response = await post({ url: message.url, headers, body: JSON.stringify(message.body) }, signal)
    if (!response.answered) {
      return { ok: false, fault: response.isLocalFault ? 'unreachable' : 'refused', error: response.error }
    }
    const { status, retryAfter } = response
    if (status >= 200 && status < 300) return { ok: true }
    const error = `The endpoint returned HTTP ${status}`
    if (message.goneStatuses.includes(status)) return { ok: false, fault: 'gone', error }
    if (status === 404) return { ok: false, fault: 'rejected', error }
    const retryAfterMs = parseRetryAfter(retryAfter, now(), MAX_RETRY_AFTER_MS)
    return { ok: false, fault: 'refused', error, retryAfterMs }
  }
}
