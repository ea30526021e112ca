import { cut, oneLine } from '../../../lib/text.ts'
import type { Letter, Post, Posted } from '../../../outbound/post.ts'
import { retryAfterMs } from '../next-step.ts'
import type { Sent } from './channel.ts'

/** What each kind of JSON answer calls its reason. */
const REASONS = ['errorDescription', 'description', 'errors', 'error', 'message', 'status'] as const

export interface Delivery {
  readonly label: string
  readonly post: Post
  readonly signal: AbortSignal
  readonly now: number
}

export async function deliver({ label, post, signal, now }: Delivery, letter: Letter): Promise<Sent> {
  return judge(label, await post(letter, signal), now)
}

/** A letter of JSON. */
export function jsonLetter(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Letter {
  return { url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** Any 2xx is a success everywhere; whatever else came is told with the reason that the service gave. */
export function judge(label: string, posted: Posted, now: number): Sent {
  if (!posted.answered) return { ok: false, error: `${label} was not reached: ${posted.error}`, retryAfterMs: null }
  const { status, body } = posted
  if (status >= 200 && status < 300) return { ok: true }
  const answer = parsed(body)
  const reason = status >= 300 && status < 400 ? 'redirects are not followed' : reasonIn(answer, body)
  return {
    ok: false,
    error: `${label} answered ${status}${reason === '' ? '' : `: ${reason}`}`,
    retryAfterMs: retryAfterMs(posted.retryAfter ?? wishIn(answer), now),
  }
}

type Answer = Readonly<Record<string, unknown>>

function parsed(body: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Answer) : undefined
  } catch {
    return undefined
  }
}

function reasonIn(answer: Answer | undefined, body: string): string {
  // A page of HTML, which proxies send, says nothing to anybody.
  if (answer === undefined) return body.trimStart().startsWith('<') ? '' : cut(oneLine(body), 200)
  for (const name of REASONS) {
    const text = textIn(answer[name])
    if (text !== '') return cut(oneLine(text), 200)
  }
  return ''
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textIn).filter(Boolean).join(', ')
}

/** Telegram and Discord say in the answer itself how many seconds to wait. */
function wishIn(answer: Answer | undefined): string | null {
  const parameters = answer?.parameters as Answer | undefined
  const seconds = answer?.retry_after ?? parameters?.retry_after
  return typeof seconds === 'number' ? String(seconds) : null
}
