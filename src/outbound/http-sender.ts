import { reason } from '../reasons/reason.ts'
import { ConnectionPool } from './connection-pool.ts'
import { startDeadline } from './deadline.ts'
import { ConnectError, OutboundError } from './errors.ts'
import { excerptOf } from './excerpt.ts'
import type { Guard } from './guard.ts'
import { type HttpConnection, type HttpResponse, openHttpConnection } from './http-connection.ts'
import type { HttpResult, OutgoingRequest, SendHttp } from './outgoing-request.ts'
import { hostOf } from './urls.ts'

/** For the whole exchange, from name resolution to the last byte of the response. */
const TIMEOUT_MS = 15_000
/** How much of the response body is kept. */
const EXCERPT_CHARS = 4096

export type HttpSender = ReturnType<typeof createHttpSender>

/** Sends requests through the guard and reuses connections. The name is resolved and checked for every request. */
export function createHttpSender({ guard, timeoutMs = TIMEOUT_MS }: { guard: Guard; timeoutMs?: number }) {
  const pool = new ConnectionPool()

  async function exchange(request: OutgoingRequest, signal: AbortSignal): Promise<HttpResponse> {
    const url = urlOf(request)
    const addresses = await permittedAddresses(url, signal)
    const reused = pool.take(url.origin, addresses)
    if (reused !== undefined) {
      const bytesBefore = reused.bytesRead
      try {
        return await exchangeOver(reused, request, url, signal)
      } catch (error) {
        // The server may close an idle connection just as it is reused. If it sent nothing, a new connection is tried.
        if (signal.aborted || !(error instanceof ConnectError) || reused.bytesRead !== bytesBefore) throw error
      }
    }
    return await exchangeOver(await openHttpConnection(url, addresses, guard, signal), request, url, signal)
  }

  async function exchangeOver(connection: HttpConnection, request: OutgoingRequest, url: URL, signal: AbortSignal) {
    const response = await connection.send(request, url.pathname + url.search, signal)
    pool.release(connection)
    return response
  }

  async function permittedAddresses(url: URL, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return (await guard.resolve(hostOf(url), signal)).addresses
    } catch (error) {
      pool.closeOrigin(url.origin)
      throw error
    }
  }

  const send: SendHttp = async (request, signal) => {
    const startedAt = performance.now()
    using deadline = startDeadline(timeoutMs, signal)
    const durationMs = (): number => Math.round(performance.now() - startedAt)
    try {
      const { status, headers, body } = await exchange(request, deadline.signal)
      const [retryAfter = null] = [headers['retry-after']].flat()
      return {
        answered: true,
        status,
        retryAfter,
        body: excerptOf(body.toString('utf8'), EXCERPT_CHARS),
        durationMs: durationMs(),
      }
    } catch (error) {
      return { ...unanswered(error), durationMs: durationMs() }
    }
  }

  return {
    send,
    get idleConnections() {
      return pool.size
    },
    close: () => pool.close(),
  }
}

function urlOf(request: OutgoingRequest): URL {
  const url = URL.parse(request.url)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new ConnectError('CONNECT', reason('not_a_url'))
}

/** Errors that the server did not cause (the caller aborted, or a bug) are local faults. */
function unanswered(error: unknown): Omit<Extract<HttpResult, { answered: false }>, 'durationMs'> {
  const { code, message, isLocalFault } =
    error instanceof OutboundError
      ? error
      : new ConnectError('CONNECT', reason('text', { text: textOf(error) }), { isLocalFault: true })
  return { answered: false, code, error: message, isLocalFault }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
