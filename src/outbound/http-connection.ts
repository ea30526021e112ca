import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import { connectTcp } from './connect.ts'
import { ConnectError, codeOf, socketError, TlsError } from './errors.ts'
import type { Guard } from './guard.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { connectTls } from './tls.ts'
import { hostOf } from './urls.ts'

/** Answers are read this far; whoever says more is cut off. */
const MAX_ANSWER_BYTES = 64 * 1024
/** Enough for the characters that are kept, however many bytes each has. */
const MAX_KEPT_BYTES = 16 * 1024
const MAX_HEAD_BYTES = 32 * 1024
const IDLE_MS = 30_000
const ALPN = ['http/1.1']

export interface HttpResponse {
  readonly status: number
  readonly retryAfter: string | null
  /** The beginning of it. */
  readonly body: Buffer
}

/** One connection to one address, judged before it was made. It speaks HTTP/1.1 for as long as both sides keep it. */
export class HttpConnection {
  readonly origin: string
  readonly address: string
  readonly #port: number
  readonly #socket: Socket
  readonly #client: Client
  #isOpen = true
  /** How many answers it has brought. */
  responseCount = 0

  constructor(Http: typeof Client, origin: string, address: string, port: number, socket: Socket) {
    this.origin = origin
    this.address = address
    this.#port = port
    this.#socket = socket
    let isGiven = false
    this.#client = new Http(origin, {
      connect: (_options, take) => {
        // A second connection would be one that nobody has judged.
        const fault = isGiven ? new ConnectError('CONNECT', 'The connection was closed') : null
        isGiven = true
        // The client does not expect to be connected before it has asked to be.
        queueMicrotask(() => (fault === null ? take(null, socket) : take(fault, null)))
      },
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The deadline of the whole exchange stands above these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    this.#client.on('disconnect', () => this.close())
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#socket.destroyed
  }

  /** Tells whether the other side has said anything since it was last asked. */
  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    void this.#client.destroy()
  }

  /** Throws a ConnectError, a TlsError, or the signal's reason; then the line is closed. */
  send(letter: OutgoingRequest, path: string, signal: AbortSignal): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const settle = (): void => signal.removeEventListener('abort', abort)
      const abort = (): void => {
        reject(signal.reason)
        this.close()
      }
      const reader = new Reader(
        (answer, isWhole) => {
          settle()
          if (isWhole) this.responseCount += 1
          else this.close()
          resolve(answer)
        },
        (error) => {
          settle()
          this.close()
          reject(answerFault(error, this.address, this.#port))
        },
      )
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort)
      const { method = 'POST', headers, body } = letter
      this.#client.dispatch({ path, method, headers: headers as Record<string, string>, body }, reader)
    })
  }
}

/** Takes an answer as it comes, no more of it than is wanted. */
class Reader implements Dispatcher.DispatchHandler {
  readonly #done: (answer: HttpResponse, isWhole: boolean) => void
  readonly #fail: (error: Error) => void
  readonly #chunks: Buffer[] = []
  #status = 0
  #retryAfter: string | null = null
  #keptBytes = 0
  #bytes = 0

  constructor(done: (answer: HttpResponse, isWhole: boolean) => void, fail: (error: Error) => void) {
    this.#done = done
    this.#fail = fail
  }

  // The dispatcher insists on it.
  onRequestStart(): void {}

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    const retryAfter = headers['retry-after']
    this.#status = status
    this.#retryAfter = (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#keptBytes < MAX_KEPT_BYTES) {
      const kept = chunk.subarray(0, MAX_KEPT_BYTES - this.#keptBytes)
      this.#chunks.push(kept)
      this.#keptBytes += kept.length
    }
    if (this.#bytes >= MAX_ANSWER_BYTES) this.#done(this.#answer(), false)
  }

  onResponseEnd(): void {
    this.#done(this.#answer(), true)
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error)
  }

  #answer(): HttpResponse {
    const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
    return { status: this.#status, retryAfter: this.#retryAfter, body }
  }
}

/** A megabyte of source, loaded when there is a letter to send. */
const library = () => import('undici')

/** Connects to one of the addresses, which a guard has judged. Throws an OutboundError or the signal's reason. */
export async function openHttpConnection(
  url: URL,
  addresses: readonly string[],
  guard: Guard,
  signal: AbortSignal,
): Promise<HttpConnection> {
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const { Client } = await library()
  const { socket, address } = await connectTcp(addresses, port, signal)
  if (!isTls) return new HttpConnection(Client, url.origin, address, port, socket.setNoDelay())
  const options = { host: hostOf(url), contexts: guard.tlsContexts, verify: true, alpn: ALPN }
  return new HttpConnection(
    Client,
    url.origin,
    address,
    port,
    (await connectTls(socket.setNoDelay(), options, signal)).socket,
  )
}

const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_DESTROYED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])

function answerFault(cause: Error, address: string, port: number): ConnectError | TlsError {
  if (cause instanceof ConnectError) return cause
  const code = codeOf(cause)
  if (CLOSED.has(code))
    return new ConnectError('CONNECT', 'The connection was closed before the answer was whole', { cause })
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new ConnectError('CONNECT', `The head of the answer is larger than ${MAX_HEAD_BYTES / 1024} KiB`, { cause })
  }
  if (code.startsWith('HPE_')) return new ConnectError('CONNECT', `The answer is not valid HTTP (${code})`, { cause })
  // Servers that want a certificate of ours say so only after the handshake.
  if (code.startsWith('ERR_SSL_')) return new TlsError(`The server broke the TLS connection off (${code})`, { cause })
  return socketError(cause, address, port)
}
