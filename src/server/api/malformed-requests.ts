import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { http } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import type { CountedRequest } from '../../storage/database.ts'
import { authenticate } from './authenticate.ts'
import { clientAddress } from './client-address.ts'
import { fail } from './fail.ts'
import { noSuchEndpoint, pathOf } from './paths.ts'
import { unmetExpectations } from './request-headers.ts'
import { apiHeaders, envelope, JSON_TYPE, refusalOf } from './respond.ts'
import type { ApiOptions } from './routes.ts'

/**
 * Routes requests that Node would otherwise answer itself (Expect, CONNECT, half-closed connections), so that every response
 * carries a request id, the rate-limit headers and the error envelope.
 */
export function handleUnroutedRequests(server: Server & { httpAllowHalfOpen?: boolean }): void {
  // Answers clients that close their sending side after the request. Node's default is to disconnect them.
  server.httpAllowHalfOpen = true
  server.on('request', noteResponse)
  // Node's default is a bare 417.
  server.on('checkExpectation', (request, response) => {
    unmetExpectations.add(request)
    server.emit('request', request, response)
  })
  // Node passes no response object for CONNECT.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node has removed its error handler from this socket; an unhandled error would end the process.
    socket.on('error', () => socket.destroy())
    const response = new http.ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.on('finish', () => socket.destroySoon())
    server.emit('request', request, response)
  })
}

/** The responses of each connection that are not sent yet, and the latest one. */
const responsesOf = new WeakMap<Socket, readonly ServerResponse[]>()

function noteResponse({ socket }: IncomingMessage, response: ServerResponse): void {
  const earlier = responsesOf.get(socket)?.filter(({ destroyed }) => !destroyed) ?? []
  responsesOf.set(socket, [...earlier, response])
}

const problems: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers or the address are too long',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive',
  HPE_INVALID_METHOD: 'The method is not known',
  HPE_INVALID_URL: 'The address is malformed',
}

/** Sockets that were sent their last response, or are about to be. */
const answeredSockets = new WeakSet<Socket>()

/** Time for the client to read the response before the connection is destroyed. */
const CLOSE_DELAY_MS = 2_000

/** Answers invalid HTTP, or a request that began and arrived too slowly, on the bare socket and closes it. */
export async function answerMalformed(api: ApiOptions, error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
  // Node reports the same error again with every packet that follows.
  if (answeredSockets.has(socket)) return
  answeredSockets.add(socket)
  // Without this, Node ends the connection when the client closes its sending side.
  socket.pause()
  // Browsers open connections in advance, and would take an answer for that to the request they send later.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
  if (isUnused || error.code === 'ECONNRESET' || !(await waitForTurn(socket))) {
    socket.destroy()
    return
  }
  api.metrics.malformedRequests.inc()
  const counted = await countRequest(api, clientAddress({ ip: socket.remoteAddress ?? 'unknown' }))
  const message = problems[error.code ?? ''] ?? 'The request is not valid HTTP'
  const refusal =
    refusalOf(api.rateLimit, counted) ??
    new ApiError('validation_error', message, { details: [{ path: 'request', message }] })
  const requestId = newId('req', api.clock.now())
  if (!(await waitForTurn(socket))) {
    socket.destroy()
    return
  }
  socket.end(
    rawResponse(
      refusal.status,
      { ...apiHeaders(api.rateLimit, counted, requestId), ...refusal.headers },
      envelope(refusal, requestId),
    ),
  )
  socket.resume()
  // Destroying it now would reset the connection, and the client would lose the response.
  const cut = setTimeout(() => socket.destroy(), CLOSE_DELAY_MS)
  socket.once('close', () => clearTimeout(cut))
}

/**
 * Waits until all earlier requests on the connection are answered. False if no response can be sent: the broken request was
 * answered already, or the client disconnected.
 */
async function waitForTurn(socket: Socket): Promise<boolean> {
  const responses = responsesOf.get(socket) ?? []
  const latest = responses.at(-1)
  const broken = latest?.req.complete === false ? latest : undefined
  for (;;) {
    if (!socket.writable) return false
    const response = responses.find(({ destroyed }) => !destroyed)
    if (response === undefined) return broken === undefined
    if (response === broken) return !response.headersSent
    await new Promise<void>((resolve) => response.once('close', resolve))
  }
}

/** Counts the request. If the database is unavailable, reports an unused window. */
async function countRequest({ database, rateLimit }: ApiOptions, address: string): Promise<CountedRequest> {
  try {
    return await database.rateLimiter.countRequest(undefined, address)
  } catch {
    return { caller: undefined, used: 0, resetsInMs: rateLimit.windowMs, organization: undefined }
  }
}

function rawResponse(status: number, headers: Record<string, string>, body: string): string {
  const lines = Object.entries({
    ...headers,
    'content-type': JSON_TYPE,
    'content-length': `${Buffer.byteLength(body)}`,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

/** Answers requests that the router rejects before any hook runs: bad percent-encoding, unknown methods. */
export async function answerUnroutable(api: ApiOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  api.metrics.malformedRequests.inc()
  try {
    await authenticate(api, request)
    const message = 'is not a valid address for this method'
    throw new ApiError('validation_error', `The path ${message}`, { details: [{ path: 'path', message }] })
  } catch (error) {
    fail(api, error, request, reply)
  }
}

/** Whether the path lies below /api, also with another version than the current one, or with too many slashes. */
export function isBelowApi(url: string): boolean {
  return /^\/+api(\/|$)/.test(pathOf(url))
}

/** Refuses requests below /api that are outside the current version, as the API does: 401 without a key, then 404. */
export async function refuseUnknownPath(api: ApiOptions, request: FastifyRequest): Promise<never> {
  await authenticate(api, request)
  throw noSuchEndpoint(request.url)
}
