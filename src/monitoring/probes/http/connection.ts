import type { Socket } from 'node:net'
import type { Timings } from '../../../contract/probe.ts'
import { connectTcp } from '../../../outbound/connect.ts'
import { ConnectError, codeOf, socketError } from '../../../outbound/errors.ts'
import { connectTls } from '../../../outbound/tls.ts'
import { hostOf } from '../../../outbound/urls.ts'
import type { Attempt, NetworkTools } from '../attempt.ts'
import { type HttpRequest, headerFields } from './request.ts'
import {
  HeadTooLarge,
  InvalidResponse,
  MAX_HEAD_KIB,
  type ResponseHandler,
  type ResponseHead,
  type ResponseHeaders,
  ResponseParser,
} from './response-parser.ts'

const ALPN = ['http/1.1']

interface Peer {
  readonly address: string
  readonly port: number
}

/** An answer whose head has arrived and whose body is still to be read. */
export interface HttpResponse {
  readonly headers: ResponseHeaders
  readonly status: number
  readonly peer: Peer
  readonly body: ResponseBody
}

/** A body as it was sent. */
export interface ResponseBody {
  /** Hands it over piece by piece until it ends or `take` returns false. Rejects with a ConnectError when it breaks off. */
  read(take: (bytes: Buffer) => boolean): Promise<void>
  /** For whoever cannot take more just now. */
  pause(): void
  resume(): void
}

/** A socket of our own for one request: looked up, judged, connected, and secured where the URL says so. */
export interface HttpConnection extends Disposable {
  readonly socket: Socket
  readonly peer: Peer
  readonly timings: Timings
}

export async function openConnection(
  url: URL,
  verify: boolean,
  { guard }: NetworkTools,
  visit: Attempt,
): Promise<HttpConnection> {
  const isTls = url.protocol === 'https:'
  const host = hostOf(url)
  visit.host = host
  visit.stage = 'lookup'
  const { addresses, dnsMs } = await guard.resolve(host, visit.signal)
  const timings: Timings = dnsMs === undefined ? {} : { dnsMs: Math.round(dnsMs) }
  visit.observed.timings = timings

  visit.stage = 'connect'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const { socket, address, connectMs } = await connectTcp(addresses, port, visit.signal)
  timings.connectMs = Math.round(connectMs)
  visit.observed.ip = address
  if (!isTls) return hop(socket, { address, port }, timings)

  visit.stage = 'tls'
  const options = { host, contexts: guard.tlsContexts, verify, alpn: ALPN }
  const { socket: secured, certificate, tlsMs } = await connectTls(socket, options, visit.signal)
  timings.tlsMs = Math.round(tlsMs)
  if (certificate) visit.observed.certificate = certificate
  return hop(secured, { address, port }, timings)
}

function hop(socket: Socket, peer: Peer, timings: Timings): HttpConnection {
  return {
    socket,
    peer,
    timings,
    [Symbol.dispose]() {
      // After a whole answer it is closing already.
      const isClosing = socket.writableEnded && socket.writableLength === 0 && !('encrypted' in socket)
      if (!isClosing) socket.destroy()
    },
  }
}

/** Sends the request and waits for the head of the answer. */
export function sendRequest(
  request: HttpRequest,
  { socket, peer, timings }: HttpConnection,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const startedAt = performance.now()
    const abort = () => {
      socket.destroy()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort)
    const exchange = new Exchange(socket, peer, request.method === 'HEAD', {
      head({ status, headers }) {
        signal.removeEventListener('abort', abort)
        timings.firstByteMs = Math.round(performance.now() - startedAt)
        resolve({ status, headers, peer, body: exchange })
      },
      failed(fault) {
        signal.removeEventListener('abort', abort)
        reject(fault)
      },
    })
    write(socket, request)
  })
}

function write(socket: Socket, request: HttpRequest): void {
  const { url, method, body } = request
  const lines = headerFields(request)
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`
  for (let i = 0; i < lines.length; i += 2) head += `${lines[i]}: ${lines[i + 1]}\r\n`
  head += '\r\n'
  if (body === null) socket.write(head, 'latin1')
  else socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
}

/** What went wrong while an answer was read. */
export function responseError(cause: Error, { address, port }: Peer, ifClosed: string): ConnectError {
  if (cause instanceof HeadTooLarge) {
    return new ConnectError('CONNECT', `The head of the answer is larger than ${MAX_HEAD_KIB} KiB`, { cause })
  }
  if (cause instanceof InvalidResponse) {
    return new ConnectError('CONNECT', `The answer is not valid HTTP: ${cause.message}`, { cause })
  }
  const code = codeOf(cause)
  if (cause instanceof Closed || code === 'ECONNRESET' || code === 'EPIPE') {
    return new ConnectError('CONNECT', ifClosed, { cause })
  }
  return socketError(cause, address, port)
}

/** The other side was done before the answer was. */
class Closed extends Error {}

interface Waiting {
  head(head: ResponseHead): void
  failed(fault: ConnectError): void
}

/** An answer on its way: its head goes to whoever sent the request, its body to whoever asks for it. */
class Exchange implements ResponseBody, ResponseHandler {
  readonly #socket: Socket
  readonly #peer: Peer
  readonly #reader: ResponseParser
  readonly #waiting: Waiting
  #fault: ConnectError | undefined
  #take: ((bytes: Buffer) => boolean) | undefined
  #settle: ((fault?: ConnectError) => void) | undefined

  constructor(socket: Socket, peer: Peer, isBodiless: boolean, waiting: Waiting) {
    this.#socket = socket
    this.#peer = peer
    this.#waiting = waiting
    this.#reader = new ResponseParser(isBodiless, this)
    socket.on('data', (bytes: Buffer) => this.#guarded(() => this.#reader.feed(bytes)))
    socket.on('end', () => this.#closed())
    socket.on('close', () => this.#closed())
    socket.on('error', (error) => this.#fail(error))
  }

  head(head: ResponseHead): void {
    // Nobody may ever want the body, and it must not pile up until somebody does.
    this.#socket.pause()
    this.#waiting.head(head)
  }

  data(bytes: Buffer): void {
    if (this.#take?.(bytes) === false) this.#finish()
  }

  end(): void {
    // In the order that spares both sides a reset.
    if (!('encrypted' in this.#socket)) this.#socket.destroySoon()
    this.#finish()
  }

  read(take: (bytes: Buffer) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== undefined) return reject(this.#fault)
      this.#take = take
      this.#settle = (fault) => (fault === undefined ? resolve() : reject(fault))
      this.#guarded(() => this.#reader.readBody())
      this.#socket.resume()
    })
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  #guarded(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#fail(error as Error)
      this.#socket.destroy()
    }
  }

  #closed(): void {
    if (!this.#reader.finish()) this.#fail(new Closed('The connection was closed'))
  }

  #fail(cause: Error): void {
    if (this.#fault !== undefined || this.#reader.isDone) return
    const ifClosed = this.#reader.hasHead
      ? 'The answer broke off: the connection was closed'
      : 'The connection was closed before an answer came'
    this.#fault = responseError(cause, this.#peer, ifClosed)
    if (this.#reader.hasHead) this.#finish(this.#fault)
    else this.#waiting.failed(this.#fault)
  }

  #finish(fault?: ConnectError): void {
    const settle = this.#settle
    this.#settle = undefined
    this.#take = undefined
    settle?.(fault)
  }
}
