import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { Sample } from '../../../contract/probe.ts'
import { ConnectError } from '../../../outbound/errors.ts'
import { isReason, type Reason, reason } from '../../../reasons/reason.ts'
import { applyAssertions } from '../assertions/apply.ts'
import { type Attempt, type Failure, makeAttempt } from '../attempt.ts'
import type { NetworkTools } from '../definition.ts'
import { type HttpConnection, openConnection } from './connection.ts'
import { firstRequest, type HttpRequest, type HttpTarget } from './request.ts'
import { responseError } from './response.ts'
import { authorizationOf } from './send-authorized.ts'

const PATH = '/grpc.health.v1.Health/Check'
const ALPN = ['h2']
/** Of all bytes on the connection, and of the message. */
const MAX_KIB = 256
const MAX_MESSAGE_BYTES = 4096
const LOOK_EVERY_MS = 100

const SERVING = 1
const HEALTH = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
/** Headers of the connection, which HTTP/2 does not have. */
const NOT_IN_HTTP2 = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
])
const OURS = new Set(['content-length', 'content-type', 'authorization'])

/** A gRPC server is up when its health service (grpc.health.v1) says SERVING. */
export function checkGrpcHealth(target: HttpTarget, tools: NetworkTools, signal: AbortSignal): Promise<Sample> {
  return makeAttempt(target, signal, (attempt) => askHealth(target, tools, attempt))
}

async function askHealth(target: HttpTarget, tools: NetworkTools, attempt: Attempt): Promise<Failure | null> {
  const request = firstRequest(target)
  if (isReason(request)) return { code: 'CONNECT', kind: 'content', error: request }
  const auth = target.request?.auth
  const authorization = auth && (await authorizationOf(request, auth, tools, attempt))
  if (typeof authorization === 'object') return authorization
  const { options } = request
  using connection = await openConnection(request.url, target.verifySsl, tools, attempt, options, ALPN)
  attempt.stage = 'response'
  const service = options?.grpcService ?? ''
  const answer = await call(request, authorization, service, connection, attempt.signal)
  const { status } = answer
  attempt.observed.statusCode = status
  return judge(answer, service) ?? (await applyAssertions(target.assertions, attempt, { status }))
}

interface Answer {
  readonly status: number
  /** Absent if the server did not answer as a gRPC server. */
  readonly grpcStatus: number | undefined
  readonly message: Buffer
}

function judge({ status, grpcStatus, message }: Answer, service: string): Failure | null {
  const fail = (error: Reason): Failure => ({ code: 'STATUS', kind: 'content', error })
  const subject = service === '' ? reason('grpc_server') : reason('grpc_service', { name: service })
  if (status !== 200) return fail(reason('grpc_status', { status }))
  if (grpcStatus === undefined) return fail(reason('grpc_not_spoken'))
  if (grpcStatus === 5) return fail(reason('grpc_unknown', { subject }))
  if (grpcStatus === 12) return fail(reason('grpc_unimplemented'))
  if (grpcStatus !== 0) return fail(reason('grpc_failed', { status: grpcStatus }))
  const health = healthOf(message)
  if (health === SERVING) return null
  const known = HEALTH[health ?? 0]
  return fail(
    known === undefined
      ? reason('grpc_state', { subject, state: String(health) })
      : reason('grpc_health', { subject, health: known }),
  )
}

/** node:http2 is loaded with the first check of this kind: most threads have none. */
async function call(
  request: HttpRequest,
  authorization: string | undefined,
  service: string,
  { socket, peer, timings }: HttpConnection,
  signal: AbortSignal,
): Promise<Answer> {
  if ('alpnProtocol' in socket && socket.alpnProtocol !== 'h2') {
    throw new ConnectError('CONNECT', reason('grpc_no_http2'))
  }
  const http2 = await import('node:http2')
  const startedAt = performance.now()
  const session = http2.connect(request.url.origin, {
    createConnection: () => socket,
    maxHeaderListPairs: 64,
    maxSessionMemory: 1,
    settings: { enablePush: false, maxHeaderListSize: 16 * 1024 },
  })
  const guarding = setInterval(() => {
    if (socket.bytesRead <= MAX_KIB * 1024) return
    socket.destroy(new ConnectError('CONNECT', reason('sent_too_much', { kib: MAX_KIB })))
  }, LOOK_EVERY_MS)
  try {
    return await exchange(session, headersOf(request, authorization), requestMessage(service), signal, () => {
      timings.firstByteMs = Math.round(performance.now() - startedAt)
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw responseError(error as Error, peer, reason('closed_early'))
  } finally {
    clearInterval(guarding)
    session.destroy()
  }
}

function exchange(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  message: Buffer,
  signal: AbortSignal,
  onHead: () => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    session.on('error', reject)
    session.on('close', () => reject(closed()))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    const stream: ClientHttp2Stream = session.request(headers)
    const chunks: Buffer[] = []
    let bytes = 0
    let status = 0
    let grpcStatus: number | undefined
    const read = (fields: IncomingHttpHeaders) => {
      const text = fields['grpc-status']
      if (typeof text === 'string' && /^\d{1,3}$/.test(text)) grpcStatus = Number(text)
    }
    stream.on('response', (fields) => {
      onHead()
      status = Number(fields[':status'])
      read(fields)
    })
    stream.on('trailers', read)
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= MAX_MESSAGE_BYTES) chunks.push(chunk)
      else reject(new ConnectError('CONNECT', reason('response_too_large', { kib: MAX_MESSAGE_BYTES / 1024 })))
    })
    stream.on('error', reject)
    stream.on('end', () => {
      if (status === 0) reject(closed())
      else resolve({ status, grpcStatus, message: Buffer.concat(chunks) })
    })
    stream.on('close', () => reject(closed()))
    stream.end(message)
  })
}

function closed(): Error {
  return new ConnectError('CONNECT', reason('closed_early'))
}

function headersOf({ url, headers }: HttpRequest, authorization: string | undefined): Record<string, string> {
  const own = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !NOT_IN_HTTP2.has(name) && !(OURS.has(name) && (name !== 'authorization' || authorization)))
  return {
    'user-agent': 'Pharos/1 (uptime check)',
    ...Object.fromEntries(own),
    ':method': 'POST',
    ':path': PATH,
    ':scheme': url.protocol.slice(0, -1),
    ':authority': url.host,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(authorization !== undefined && { authorization }),
  }
}

/** HealthCheckRequest { string service = 1 } behind the five bytes that precede every message. */
function requestMessage(service: string): Buffer {
  const name = Buffer.from(service)
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name])
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)]
}

/** HealthCheckResponse { ServingStatus status = 1 }. A missing field has the value 0; undefined if it is no such message. */
function healthOf(message: Buffer): number | undefined {
  if (message.length < 5 || message[0] !== 0 || message.readUInt32BE(1) !== message.length - 5) return undefined
  if (message.length === 5) return 0
  return message[5] === 0x08 && message.length === 7 ? message[6] : undefined
}
