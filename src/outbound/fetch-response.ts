import { startDeadline } from './deadline.ts'
import type { Guard } from './guard.ts'
import { type HttpResponse, openHttpConnection } from './http-connection.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { hostOf } from './urls.ts'

interface FetchOptions {
  readonly guard: Guard
  /** Of the whole response, with its headers. */
  readonly maxBytes?: number
  /** For the whole exchange, from name resolution to the last byte. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Sends one request through the guard and reads the whole response. Throws an OutboundError or the signal's reason. */
export async function fetchResponse(
  request: OutgoingRequest,
  { guard, maxBytes, timeoutMs, signal }: FetchOptions,
): Promise<HttpResponse> {
  using deadline = startDeadline(timeoutMs, signal)
  const url = new URL(request.url)
  const { addresses } = await guard.resolve(hostOf(url), deadline.signal)
  const connection = await openHttpConnection(url, addresses, guard, deadline.signal, maxBytes)
  try {
    return await connection.send(request, url.pathname + url.search, deadline.signal, Number.POSITIVE_INFINITY)
  } finally {
    connection.close()
  }
}
