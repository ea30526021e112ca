import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import { reason } from '../reasons/reason.ts'
import { connectTcp } from './connect.ts'
import { untilAborted } from './deadline.ts'
import { ConnectError, codeOf, socketError, TlsError } from './errors.ts'
import type { Guard } from './guard.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { connectTls } from './tls.ts'
import { hostOf } from './urls.ts'

/** Of all bytes received in one exchange: informational responses, head, chunk framing and body. */
const MAX_EXCHANGE_BYTES = 256 * 1024
const MAX_INFORMATIONAL = 8
const MAX_HEAD_BYTES = 32 * 1024
/** The connection is closed when the body of a notification's response is longer. */
const MAX_BODY_BYTES = 64 * 1024
const IDLE_MS = 30_000
const ALPN = ['http/1.1']

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** At most the rest of one read longer than the limit. */
  readonly body: Buffer
}

/** One HTTP/1.1 keep-alive connection to an address that the guard permitted. */
export class HttpConnection {
  readonly origin: string
  readonly address: string
  readonly #port: number
  readonly #socket: Socket
  readonly #client: Client
  readonly #maxExchangeBytes: number
  #isOpen = true
  #bytesBeforeExchange = 0

  constructor(
    Http: typeof Client,
    origin: string,
    address: string,
    port: number,
    socket: Socket,
    maxExchangeBytes: number,
  ) {
    this.#maxExchangeBytes = maxExchangeBytes
    this.origin = origin
    this.address = address
    this.#port = port
    this.#socket = socket
    let isUsed = false
    this.#client = new Http(origin, {
      connect: (_options, take) => {
        // undici must not reconnect by itself: the guard has not checked that connection.
        const error = isUsed ? new ConnectError('CONNECT', reason('connection_closed')) : null
        isUsed = true
        // undici expects `connect` to answer asynchronously.
        queueMicrotask(() => (error === null ? take(null, socket) : take(error, null)))
      },
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The deadline of the whole exchange applies instead.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    this.#client.on('disconnect', () => this.close())
    // undici limits neither a reason phrase nor chunk extensions, and reports neither.
    this.#client.on('connect', () => socket.on('readable', () => this.#limitBytes()))
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#socket.destroyed
  }

  /** Bytes received so far. */
  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    void this.#client.destroy()
  }

  #limitBytes(): void {
    if (this.bytesRead - this.#bytesBeforeExchange <= this.#maxExchangeBytes) return
    this.#socket.destroy(
      new ConnectError('CONNECT', reason('exchange_too_large', { kib: this.#maxExchangeBytes / 1024 })),
    )
  }

  /**
   * A longer body is cut off and the connection closed. Throws a ConnectError, a TlsError, or the signal's reason; the
   * connection is closed then.
   */
  async send(
    { method = 'POST', headers, body }: OutgoingRequest,
    path: string,
    signal: AbortSignal,
    maxBodyBytes: number = MAX_BODY_BYTES,
  ): Promise<HttpResponse> {
    this.#bytesBeforeExchange = this.bytesRead
    const reader = new ResponseReader(maxBodyBytes)
    try {
      signal.throwIfAborted()
      this.#client.dispatch({ path, method, headers: headers as Record<string, string>, body }, reader)
      const { response, isComplete } = await untilAborted(reader.ended, signal)
      if (!isComplete) this.close()
      return response
    } catch (error) {
      this.close()
      throw error === signal.reason ? error : responseError(error as Error, this.address, this.#port)
    }
  }
}

/** Collects a response up to the limits above. */
class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #maxBodyBytes: number
  readonly #ending = Promise.withResolvers<{ readonly response: HttpResponse; readonly isComplete: boolean }>()
  readonly #chunks: Buffer[] = []
  #informational = 0
  #status = 0
  #headers: HttpResponse['headers'] = {}
  #bytes = 0

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes
  }

  /** Rejects with the error of undici. */
  get ended() {
    return this.#ending.promise
  }

  // Required by undici.
  onRequestStart(): void {}

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: HttpResponse['headers']): void {
    this.#status = status
    this.#headers = headers
    if (status >= 200) return
    this.#informational += 1
    if (this.#informational <= MAX_INFORMATIONAL) return
    // Also stops the parser, which may have hundreds more of them in its input.
    controller.abort(new ConnectError('CONNECT', reason('too_many_informational', { count: MAX_INFORMATIONAL })))
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#bytes >= this.#maxBodyBytes) this.#end(false)
  }

  onResponseEnd(): void {
    this.#end(true)
  }

  onResponseError(_: unknown, error: Error): void {
    this.#ending.reject(error)
  }

  #end(isComplete: boolean): void {
    const response = { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) }
    this.#ending.resolve({ response, isComplete })
  }
}

/**
 * Connects to one of the addresses, which must come from a guard. Throws an OutboundError or the signal's reason.
 * undici is a megabyte of source, so it is loaded with the first request.
 */
export async function openHttpConnection(
  url: URL,
  addresses: readonly string[],
  guard: Guard,
  signal: AbortSignal,
  maxExchangeBytes: number = MAX_EXCHANGE_BYTES,
): Promise<HttpConnection> {
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const { Client } = await import('undici')
  const { socket, address } = await connectTcp(addresses, port, signal)
  const open = (stream: Socket) => new HttpConnection(Client, url.origin, address, port, stream, maxExchangeBytes)
  if (!isTls) return open(socket.setNoDelay())
  const options = { host: hostOf(url), contexts: guard.tlsContexts, verify: true, alpn: ALPN }
  return open((await connectTls(socket.setNoDelay(), options, signal)).socket)
}

const CLOSED_CODES = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_DESTROYED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])

function responseError(cause: Error, address: string, port: number): ConnectError | TlsError {
  if (cause instanceof ConnectError) return cause
  const code = codeOf(cause)
  if (CLOSED_CODES.has(code)) return new ConnectError('CONNECT', reason('closed_early'), { cause })
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new ConnectError('CONNECT', reason('head_too_large', { kib: MAX_HEAD_BYTES / 1024 }), { cause })
  }
  if (code.startsWith('HPE_'))
    return new ConnectError('CONNECT', reason('http_invalid_code', { error: code }), { cause })
  // Servers that require a client certificate report it only after the handshake.
  if (code.startsWith('ERR_SSL_')) return new TlsError(reason('tls_broken_off', { error: code }), { cause })
  return socketError(cause, address, port)
}
