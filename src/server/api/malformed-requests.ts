import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { CountedRequest } from '../../storage/database.ts'
import { envelope, isOverQuota, JSON_TYPE, rateHeaders, rateLimited } from './respond.ts'
import { type ApiOptions, addressOf, admit, fail, unmetExpectations } from './routes.ts'

/**
 * Requests that never reach a route: the framework or Node itself would answer them without our headers. Each is given
 * the answer it would have had inside: request id, rate limit, envelope.
 */
export function catchStrays(server: Server & { httpAllowHalfOpen?: boolean }): void {
  // A client may say that it has no more to ask and still wait for its answer; Node would hang up on it.
  server.httpAllowHalfOpen = true
  // Node would refuse any expectation but 100-continue with a bare 417.
  server.on('checkExpectation', (request, response) => {
    unmetExpectations.add(request)
    server.emit('request', request, response)
  })
  // CONNECT comes without a response; with one it is a request like any other.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node has let go of this socket: a client that hangs up would otherwise end the process.
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.on('finish', () => socket.destroySoon())
    server.emit('request', request, response)
  })
}

const problems: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers or the address are too long',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive',
  HPE_INVALID_METHOD: 'The method is not known',
  HPE_INVALID_URL: 'The address is malformed',
}

/** Sockets that had their last answer, or are about to. */
const refused = new WeakSet<Socket>()

/** A client may read its answer for this long before the connection is cut. */
const LINGER_MS = 2_000

/** Bytes that are no request, or one that came too slowly: answered on the bare socket, which is then closed. */
export async function answerBroken(api: ApiOptions, error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
  // The same broken bytes are complained of again with every packet that follows.
  if (refused.has(socket)) return
  refused.add(socket)
  // Should the client say meanwhile that it has no more to send, Node would end the connection before it is answered.
  socket.pause()
  if (error.code === 'ECONNRESET' || !(await itsTurn(socket))) {
    socket.destroy()
    return
  }
  api.metrics.strayRequests.inc()
  const admission = await count(api, addressOf({ ip: socket.remoteAddress ?? 'unknown' }))
  const message = problems[error.code ?? ''] ?? 'The request is not valid HTTP'
  const refusal = isOverQuota(api.rule, admission)
    ? rateLimited(admission)
    : new ApiError('validation_error', message, { details: [{ path: 'request', message }] })
  const requestId = newId('req', api.clock.now())
  if (!(await itsTurn(socket))) {
    socket.destroy()
    return
  }
  socket.end(
    rawAnswer(
      refusal.status,
      { ...rateHeaders(api.rule, admission), ...refusal.headers },
      requestId,
      envelope(refusal, requestId),
    ),
  )
  socket.resume()
  // Cut at once, what the client is still sending would make its system throw the answer away.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}

/** Node keeps the response under way and the parser on the socket, and looks there itself before it answers. */
type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse<IncomingMessage> | null
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

/**
 * Waits until everything asked for before the broken bytes is answered, for theirs is the next answer on this
 * connection. False when there is none to give: the request that they broke has been answered, or its client is gone.
 */
async function itsTurn(socket: HttpSocket): Promise<boolean> {
  const latest = socket.parser?.incoming
  const broken = latest?.complete === false ? latest : undefined
  for (;;) {
    if (!socket.writable) return false
    const answering = socket._httpMessage
    if (answering == null) return broken === undefined
    if (answering.req === broken) return !answering.headersSent
    await new Promise<void>((resolve) => answering.once('close', resolve))
  }
}

/** Without the database nobody can say how much is left. */
async function count({ database, rule }: ApiOptions, address: string): Promise<CountedRequest> {
  try {
    return await database.rateLimiter.countRequest(undefined, address)
  } catch {
    return { caller: undefined, used: 0, resetsInMs: rule.windowMs }
  }
}

function rawAnswer(status: number, headers: Record<string, string>, requestId: string, body: string): string {
  const lines = Object.entries({
    'x-request-id': requestId,
    ...headers,
    'content-type': JSON_TYPE,
    'content-length': `${Buffer.byteLength(body)}`,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

/** What the router refuses before any hook runs: bad percent-encoding, a method of another protocol. */
export async function answerUnroutable(api: ApiOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  api.metrics.strayRequests.inc()
  try {
    await admit(api, request)
    const message = 'is not a valid address for this method'
    throw new ApiError('validation_error', `The path ${message}`, { details: [{ path: 'path', message }] })
  } catch (error) {
    fail(api, error, request, reply)
  }
}
