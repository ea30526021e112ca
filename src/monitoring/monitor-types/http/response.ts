import type { Socket } from 'node:net'
import { ConnectError, codeOf, socketError, TlsError } from '../../../outbound/errors.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import type { HttpConnection, Peer } from './connection.ts'
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

/** For all that is not body: heads, chunk sizes and trailers. */
const MAX_FRAMING_KIB = 256
/** A compressed body may be endless and unpack to nothing. */
const MAX_TOTAL_MIB = 2

/** A response whose head has arrived; its body has not been read yet. */
export interface HttpResponse {
  readonly headers: ResponseHeaders
  readonly status: number
  readonly peer: Peer
  /** Without decoding. */
  readonly body: Pick<ResponseStream, 'read' | 'pause' | 'resume'>
}

/** Sends the request and waits for the head of the response. */
export function sendRequest(
  request: HttpRequest,
  { socket, peer, timings, forwarding }: HttpConnection,
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
    const stream = new ResponseStream(socket, peer, request.method === 'HEAD', {
      head({ status, headers }) {
        signal.removeEventListener('abort', abort)
        timings.firstByteMs = Math.round(performance.now() - startedAt)
        resolve({ status, headers, peer, body: stream })
      },
      failed(error) {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    })
    writeRequest(socket, request, forwarding)
  })
}

function writeRequest(socket: Socket, request: HttpRequest, forwarding: HttpConnection['forwarding']): void {
  const { url, method, body } = request
  let head = `${method} ${forwarding ? url.origin : ''}${url.pathname}${url.search} HTTP/1.1\r\n`
  if (forwarding?.authorization) head += `Proxy-Authorization: ${forwarding.authorization}\r\n`
  for (const [name, value] of headerFields(request)) head += `${name}: ${value}\r\n`
  head += '\r\n'
  if (body === null) socket.write(head, 'latin1')
  else socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
}

/** Turns an error that ended a response into a ConnectError. */
export function responseError(cause: Error, { address, port }: Peer, ifClosed: Reason): ConnectError | TlsError {
  if (cause instanceof ConnectError) return cause
  if (cause instanceof HeadTooLarge) {
    return new ConnectError('CONNECT', reason('head_too_large', { kib: MAX_HEAD_KIB }), { cause })
  }
  if (cause instanceof InvalidResponse) {
    return new ConnectError('CONNECT', reason('http_invalid', { cause: cause.reason }), { cause })
  }
  const code = codeOf(cause)
  if (cause instanceof ClosedEarly || code === 'ECONNRESET' || code === 'EPIPE') {
    return new ConnectError('CONNECT', ifClosed, { cause })
  }
  // With TLS 1.3 servers report it only after the handshake.
  if (code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED') {
    return new TlsError(reason('client_certificate_required'), { cause })
  }
  if (code.startsWith('ERR_SSL_')) return new TlsError(reason('tls_ended', { error: code }), { cause })
  return socketError(cause, address, port)
}

/** The server closed the connection before the response was complete. */
class ClosedEarly extends Error {}

interface HeadListener {
  head(head: ResponseHead): void
  failed(error: ConnectError | TlsError): void
}

/** Feeds the socket's bytes to the parser. The head goes to the listener, the body to the caller of `read`. */
class ResponseStream implements ResponseHandler {
  readonly #socket: Socket
  readonly #peer: Peer
  readonly #parser: ResponseParser
  readonly #listener: HeadListener
  #totalBytes = 0
  #bodyBytes = 0
  #error: ConnectError | TlsError | undefined
  #take: ((bytes: Buffer) => boolean) | undefined
  #settle: ((error?: Error) => void) | undefined

  constructor(socket: Socket, peer: Peer, isHeadRequest: boolean, listener: HeadListener) {
    this.#socket = socket
    this.#peer = peer
    this.#listener = listener
    this.#parser = new ResponseParser(isHeadRequest, this)
    socket.on('data', (bytes: Buffer) => this.#parse(() => this.#feed(bytes)))
    socket.on('end', () => this.#closed())
    socket.on('close', () => this.#closed())
    socket.on('error', (error) => this.#fail(error))
  }

  head(head: ResponseHead): void {
    // The body may never be read, so it must not accumulate.
    this.#socket.pause()
    this.#listener.head(head)
  }

  data(bytes: Buffer): void {
    this.#bodyBytes += bytes.length
    if (this.#take?.(bytes) === false) this.#finish()
  }

  end(): void {
    // Sends our FIN before the socket closes, so that neither side gets a reset.
    if (!('encrypted' in this.#socket)) this.#socket.destroySoon()
    this.#finish()
  }

  /** Calls `take` with each piece until the body ends or `take` returns false. Rejects with a ConnectError. */
  read(take: (bytes: Buffer) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#error !== undefined) return reject(this.#error)
      this.#take = take
      this.#settle = (error) => (error === undefined ? resolve() : reject(error))
      this.#parse(() => this.#parser.readBody())
      this.#socket.resume()
    })
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  #feed(bytes: Buffer): void {
    this.#totalBytes += bytes.length
    this.#parser.feed(bytes)
    if (this.#totalBytes > MAX_TOTAL_MIB * 1024 * 1024) {
      throw new InvalidResponse(reason('http_too_large', { mib: MAX_TOTAL_MIB }))
    }
    if (this.#totalBytes - this.#bodyBytes > MAX_FRAMING_KIB * 1024) {
      throw new InvalidResponse(reason('http_framing', { kib: MAX_FRAMING_KIB }))
    }
  }

  #parse(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#fail(error as Error)
      this.#socket.destroy()
    }
  }

  #closed(): void {
    if (!this.#parser.finish()) this.#fail(new ClosedEarly('The connection was closed'))
  }

  #fail(cause: Error): void {
    if (this.#error !== undefined || this.#parser.isDone) return
    const { hasHead } = this.#parser
    this.#error = responseError(cause, this.#peer, reason(hasHead ? 'closed_early' : 'closed_without_response'))
    if (hasHead) this.#finish(this.#error)
    else this.#listener.failed(this.#error)
  }

  #finish(error?: Error): void {
    const settle = this.#settle
    this.#settle = undefined
    this.#take = undefined
    settle?.(error)
  }
}
