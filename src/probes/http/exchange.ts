import http from 'node:http'
import type { Socket } from 'node:net'
import { connectTcp } from '../../outbound/connect.ts'
import { ConnectError, codeOf, socketFault } from '../../outbound/errors.ts'
import { secure } from '../../outbound/tls.ts'
import { hostOf } from '../../outbound/urls.ts'
import type { Timings } from '../probe.ts'
import type { NetworkTools, Visit } from '../tools.ts'
import { type HttpRequest, headerLines } from './request.ts'

const MAX_HEADER_KIB = 64
const ALPN = ['http/1.1']

interface Peer {
  readonly address: string
  readonly port: number
}

/** An answer whose head has arrived and whose body is still to be read. */
export interface Answer {
  readonly message: http.IncomingMessage
  readonly headers: http.IncomingHttpHeaders
  readonly status: number
  readonly peer: Peer
  /** What the parser found wrong since; the message itself only says that it broke off. */
  readonly fault: () => Error | undefined
}

/** A socket of our own for one request: looked up, judged, connected, and secured where the URL says so. */
export interface Hop extends Disposable {
  readonly socket: Socket
  readonly peer: Peer
  readonly timings: Timings
}

export async function openHop(url: URL, verify: boolean, { guard }: NetworkTools, visit: Visit): Promise<Hop> {
  const isTls = url.protocol === 'https:'
  const host = hostOf(url)
  visit.host = host
  visit.stage = 'lookup'
  const { addresses, dnsMs } = await guard.resolve(host, visit.signal)
  const timings: Timings = dnsMs === undefined ? {} : { dnsMs: Math.round(dnsMs) }
  visit.seen.timings = timings

  visit.stage = 'connect'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const { socket, address, connectMs } = await connectTcp(addresses, port, visit.signal)
  timings.connectMs = Math.round(connectMs)
  visit.seen.ip = address
  if (!isTls) return hop(socket, { address, port }, timings)

  visit.stage = 'tls'
  const options = { host, trust: guard.trust, verify, alpn: ALPN }
  const { socket: secured, certificate, tlsMs } = await secure(socket, options, visit.signal)
  timings.tlsMs = Math.round(tlsMs)
  if (certificate) visit.seen.certificate = certificate
  return hop(secured, { address, port }, timings)
}

function hop(socket: Socket, peer: Peer, timings: Timings): Hop {
  return {
    socket,
    peer,
    timings,
    [Symbol.dispose]() {
      // After a whole answer Node is closing the socket already, in the order that spares both sides a reset.
      const isClosing = socket.writableEnded && socket.writableLength === 0 && !('encrypted' in socket)
      if (!isClosing) socket.destroy()
    },
  }
}

/** Sends the request and waits for the head of the answer. */
export function send(request: HttpRequest, { socket, peer, timings }: Hop, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const startedAt = performance.now()
    const { url } = request
    const outgoing = http.request({
      method: request.method,
      path: url.pathname + url.search,
      headers: headerLines(request),
      maxHeaderSize: MAX_HEADER_KIB * 1024,
      // No agent at all: one socket, made and judged by us, closed afterwards.
      createConnection: () => socket,
    })
    let fault: Error | undefined
    const abort = () => {
      socket.destroy()
      reject(signal.reason)
    }
    const answered = (message: http.IncomingMessage) => {
      signal.removeEventListener('abort', abort)
      // Whoever reads the body adds a listener; without any, a lost connection would bring the process down.
      message.on('error', () => {})
      timings.firstByteMs = Math.round(performance.now() - startedAt)
      resolve({ message, headers: message.headers, status: message.statusCode ?? 0, peer, fault: () => fault })
    }
    outgoing.once('response', answered)
    outgoing.once('upgrade', answered)
    outgoing.on('error', (error) => {
      fault = error
      signal.removeEventListener('abort', abort)
      reject(answerFault(error, peer, 'The connection was closed before an answer came'))
    })
    signal.addEventListener('abort', abort)
    outgoing.end(request.body)
  })
}

/** What went wrong while an answer was read. */
export function answerFault(cause: Error, { address, port }: Peer, ifClosed: string): ConnectError {
  const code = codeOf(cause)
  if (code === 'ECONNRESET' || code === 'EPIPE') return new ConnectError('CONNECT', ifClosed, { cause })
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ConnectError('CONNECT', `The head of the answer is larger than ${MAX_HEADER_KIB} KiB`, { cause })
  }
  if (code.startsWith('HPE_')) return new ConnectError('CONNECT', `The answer is not valid HTTP (${code})`, { cause })
  return socketFault(cause, address, port)
}
