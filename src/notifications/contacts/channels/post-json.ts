import { HOUR_MS } from '../../../lib/clock.ts'
import { parseShort } from '../../../lib/json.ts'
import { oneLine, truncate } from '../../../lib/text.ts'
import type { HttpResult, SendHttp } from '../../../outbound/outgoing-request.ts'
import { parseRetryAfter } from '../../../outbound/retry-after.ts'
import type { ChannelResult } from './channel.ts'

/** The fields in which JSON error responses of the supported services give a reason, in order of preference. */
const REASON_FIELDS = ['errorDescription', 'description', 'errors', 'error', 'message', 'status'] as const
const MAX_REASON_LENGTH = 200
/** Longer waits that a service asks for are cut to this. */
const MAX_RETRY_AFTER_MS = 2 * HOUR_MS

export interface PostOptions {
  /** The display name of the service, for error messages. */
  readonly label: string
  readonly post: SendHttp
  readonly signal: AbortSignal
  readonly now: number
  readonly headers?: Readonly<Record<string, string>>
}

export async function postJson(
  url: string,
  body: object,
  { label, post, signal, now, headers }: PostOptions,
): Promise<ChannelResult> {
  const request = { url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  return resultOf(await post(request, signal), label, now)
}

/** Every 2xx is a success. Other statuses are reported with the reason that the service gives. */
function resultOf(response: HttpResult, label: string, now: number): ChannelResult {
  if (!response.answered)
    return { ok: false, error: `${label} could not be reached: ${response.error}`, retryAfterMs: null }
  const { status, body } = response
  if (status >= 200 && status < 300) return { ok: true }
  const json = parseObject(body)
  const reason = status >= 300 && status < 400 ? 'redirects are not followed' : reasonIn(json, body)
  return {
    ok: false,
    error: `${label} returned HTTP ${status}${reason === '' ? '' : `: ${reason}`}`,
    retryAfterMs: parseRetryAfter(response.retryAfter ?? retryAfterIn(json), now, MAX_RETRY_AFTER_MS),
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function parseObject(body: string): JsonObject | undefined {
  try {
    const value: unknown = parseShort(body)
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function reasonIn(json: JsonObject | undefined, body: string): string {
  // An HTML page, which proxies send, is not a readable reason.
  if (json === undefined) return body.trimStart().startsWith('<') ? '' : truncate(oneLine(body), MAX_REASON_LENGTH)
  for (const field of REASON_FIELDS) {
    const text = textIn(json[field])
    if (text !== '') return truncate(oneLine(text), MAX_REASON_LENGTH)
  }
  return ''
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textIn).filter(Boolean).join(', ')
}

/** Discord and Telegram give the seconds to wait in the body. */
function retryAfterIn(json: JsonObject | undefined): string | null {
  const parameters = json?.parameters as JsonObject | undefined
  const seconds = json?.retry_after ?? parameters?.retry_after
  return typeof seconds === 'number' ? String(seconds) : null
}
