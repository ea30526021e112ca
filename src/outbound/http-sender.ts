import { ConnectionPool } from './connection-pool.ts'
import { startDeadline } from './deadline.ts'
import { ConnectError, OutboundError } from './errors.ts'
import type { Guard } from './guard.ts'
import { type HttpConnection, type HttpResponse, openHttpConnection } from './http-connection.ts'
import type { HttpResult, OutgoingRequest, SendHttp } from './outgoing-request.ts'
import { hostOf } from './urls.ts'

/** For the whole exchange, from the look-up to the last byte, whatever the other side does. */
const TIMEOUT_MS = 15_000
/** What is kept of an answer. */
const EXCERPT_CHARS = 4096

export interface HttpSenderOptions {
  readonly guard: Guard
  /** Tests wait less long. */
  readonly timeoutMs?: number
}

export interface HttpSender {
  readonly send: SendHttp
  /** Connections that wait for their next letter. */
  readonly idleConnections: number
  close(): void
}

/**
 * Sends letters through the guard and keeps connections for the next one. The name is looked up and judged for every
 * letter, also where a connection is at hand.
 */
export function createHttpSender({ guard, timeoutMs = TIMEOUT_MS }: HttpSenderOptions): HttpSender {
  const lines = new ConnectionPool()

  async function send(letter: OutgoingRequest, signal: AbortSignal): Promise<HttpResponse> {
    const url = urlOf(letter)
    const addresses = await judge(url, signal)
    const kept = lines.take(url.origin, addresses)
    if (kept !== undefined) {
      const before = kept.bytesRead
      try {
        return await speak(kept, letter, url, signal)
      } catch (error) {
        // The other side may have closed a kept connection just as it was used again: as long as it said nothing, that
        // is no failure of its own, and the letter goes out on a fresh one.
        if (signal.aborted || !(error instanceof ConnectError) || kept.bytesRead !== before) throw error
      }
    }
    return await speak(await openHttpConnection(url, addresses, guard, signal), letter, url, signal)
  }

  async function speak(
    line: HttpConnection,
    letter: OutgoingRequest,
    url: URL,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const answer = await line.send(letter, url.pathname + url.search, signal)
    lines.release(line)
    return answer
  }

  async function judge(url: URL, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return (await guard.resolve(hostOf(url), signal)).addresses
    } catch (error) {
      lines.closeOrigin(url.origin)
      throw error
    }
  }

  return {
    async send(letter, signal) {
      const startedAt = performance.now()
      using deadline = startDeadline(timeoutMs, signal)
      const durationMs = (): number => Math.round(performance.now() - startedAt)
      try {
        const { status, retryAfter, body } = await send(letter, deadline.signal)
        return { answered: true, status, retryAfter, body: excerptOf(body), durationMs: durationMs() }
      } catch (error) {
        return { ...unanswered(error), durationMs: durationMs() }
      }
    },
    get idleConnections() {
      return lines.size
    },
    close: () => lines.close(),
  }
}

function urlOf(letter: OutgoingRequest): URL {
  const url = URL.parse(letter.url)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new ConnectError('CONNECT', 'The address is not a valid http:// or https:// URL')
}

/** What is none of the other side's doing (the caller stopped it, or we have a bug) is ours. */
function unanswered(error: unknown): Omit<Extract<HttpResult, { answered: false }>, 'durationMs'> {
  const {
    code,
    message,
    isLocalFault: ours,
  } = error instanceof OutboundError ? error : new ConnectError('CONNECT', textOf(error), { isLocalFault: true })
  return { answered: false, code, error: message, isLocalFault: ours }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Text that every database can store: no NUL, and no half of a surrogate pair at the end. */
function excerptOf(body: Buffer): string {
  const text = body.toString('utf8').replaceAll('\0', '').slice(0, EXCERPT_CHARS)
  return text.isWellFormed() ? text : text.slice(0, -1)
}
