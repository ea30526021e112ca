import { HOUR_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { SendEmail } from '../../outbound/email.ts'
import type { HttpResult, SendHttp } from '../../outbound/outgoing-request.ts'
import { parseRetryAfter } from '../../outbound/retry-after.ts'
import { openUrl } from './endpoint.ts'
import type { Recipient, SendResult, SendToSubscriber } from './types.ts'

/** Longer waits that an endpoint asks for are cut to this. */
const MAX_RETRY_AFTER_MS = 2 * HOUR_MS

export function sendByEmail(mail: SendEmail): SendToSubscriber {
  return async (message, _to, signal) => {
    if (!('email' in message)) return { ok: false, fault: 'refused', error: 'Not an e-mail' }
    return mail(message.email, signal)
  }
}

/** Posts JSON to a webhook or to Slack, through the address guard. */
export function sendByHttp(post: SendHttp, sealer: Sealer, now: () => number): SendToSubscriber {
  return async (message, to, signal) => {
    const url = urlOf(to, sealer)
    if (url === undefined || !('body' in message)) {
      const error = 'The URL cannot be decrypted; add the earlier key to PHAROS_SECRET_KEY'
      return { ok: false, fault: 'refused', error }
    }
    const headers = { 'content-type': 'application/json', 'user-agent': 'Pharos-StatusPage/1' }
    return resultOf(await post({ url, headers, body: JSON.stringify(message.body) }, signal), to, now())
  }
}

function urlOf({ orgId, id, sealedUrl }: Recipient, sealer: Sealer): string | undefined {
  try {
    return sealedUrl === null ? undefined : openUrl(sealedUrl, { orgId, id }, sealer)
  } catch {
    return undefined
  }
}

/** The error does not quote the response, which a stranger's server wrote. */
function resultOf(response: HttpResult, { kind }: Recipient, now: number): SendResult {
  if (!response.answered) {
    return { ok: false, fault: response.isLocalFault ? 'unreachable' : 'refused', error: response.error }
  }
  const { status, retryAfter } = response
  if (status >= 200 && status < 300) return { ok: true }
  const error = `The endpoint returned HTTP ${status}`
  // Slack answers 404 only if the webhook was deleted. A web server may do so during a deployment.
  if (status === 410 || (status === 404 && kind === 'SLACK')) return { ok: false, fault: 'gone', error }
  if (status === 404) return { ok: false, fault: 'rejected', error }
  const retryAfterMs = parseRetryAfter(retryAfter, now, MAX_RETRY_AFTER_MS) ?? 0
  return { ok: false, fault: 'refused', error, retryAfterMs }
}
