import { englishText } from '../../../reasons/english.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
/**
 * Parses one HTTP/1.1 response (RFC 9112) from a connection that is used for one request only. It does no I/O.
 *
 * Why not node:http: on a new connection it costs 90 to 130 µs of CPU per request, this parser and its socket 45 to 75 µs.
 * That is the largest part of a check, and a check uses none of the rest: agents, pools, streams
 * (docs/decisions/0006-http-response-parser.md).
 *
 * Supports: HTTP/1.0 and 1.1 · CRLF or bare LF as line end · empty lines before the status line · interim 1xx responses
 * (skipped, except 101) · repeated and folded headers · bodies by Content-Length, by chunks (with extensions and trailers,
 * both ignored) or until the connection closes · responses without a body (to HEAD, 1xx, 204, 304).
 *
 * Refuses with InvalidResponse: another protocol, as soon as the first bytes differ from "HTTP/1." · header names with
 * other than token characters, or a space before the colon · NUL or a lone CR in a header · a Content-Length that is not a
 * number, two different ones, or one beside Transfer-Encoding · chunk sizes that are not hexadecimal · a chunk longer than
 * announced.
 *
 * Bounds: 8 interim responses · 64 KiB for a head with its interim responses, and for trailers (HeadTooLarge) · 4 KiB for a
 * chunk-size line · 15 decimal digits of length, 12 hexadecimal digits of chunk size. response.ts bounds all together. Body
 * bytes are passed on and not kept. The time is linear in the number of bytes, however they are split.
 */

/** Names are in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>

export interface ResponseHead {
  readonly status: number
  readonly headers: ResponseHeaders
}

/** Called while bytes are parsed. After `head`, nothing is called until `readBody`. */
export interface ResponseHandler {
  head(head: ResponseHead): void
  data(bytes: Buffer): void
  end(): void
}

/** The bytes are not a valid response; the message says why in a few words. */
export class InvalidResponse extends Error {
  readonly reason: Reason

  constructor(why: Reason) {
    super(englishText(why))
    this.reason = why
  }
}

/** Reported apart from other errors, because such a response may be well-formed. */
export class HeadTooLarge extends Error {}

export const MAX_HEAD_KIB = 64
const MAX_HEAD_BYTES = MAX_HEAD_KIB * 1024
const MAX_CHUNK_LINE_BYTES = 4096
const MAX_INTERIM = 8

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const EMPTY = Buffer.alloc(0)

const PROTOCOL = 'HTTP/1.'
const STATUS_LINE = /^HTTP\/1\.\d ([1-9]\d\d)(?: |$)/
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const CHUNK_LINE = /^([\da-fA-F]{1,12})[ \t]*(?:;.*)?$/s
const FORBIDDEN_IN_HEADER = /[\0\r]/
/** Headers that must not be repeated; the first one counts. All others are joined with commas. */
const SINGLE_HEADERS = new Set([
  'content-type',
  'location',
  'content-encoding',
  'server',
  'date',
  'etag',
  'retry-after',
])

type LineState = 'status' | 'headers' | 'chunk line' | 'chunk end' | 'trailers'
type State = LineState | 'body by length' | 'chunk' | 'body until close' | 'done'

const lineStates: ReadonlySet<State> = new Set<LineState>(['status', 'headers', 'chunk line', 'chunk end', 'trailers'])

export class ResponseParser {
  readonly #handler: ResponseHandler
  readonly #isHeadRequest: boolean
  #state: State = 'status'
  #input: Buffer = EMPTY
  #position = 0
  /** Pieces of a line whose end has not arrived. */
  #partialLine: Buffer[] = []
  /** Whether the partial status line is known to start with PROTOCOL. */
  #hasProtocol = false
  /** Bytes of the current head, chunk line or trailers, which are limited. */
  #lineBytes = 0
  #status = 0
  #headers: Record<string, string | undefined> = {}
  #lastHeader = ''
  #interimCount = 0
  /** Bytes left of the body or the chunk. */
  #bodyBytesLeft = 0
  /** Between `head` and `readBody`. */
  #isPaused = false

  /** The response to a HEAD request has no body, whatever its headers say. */
  constructor(isHeadRequest: boolean, handler: ResponseHandler) {
    this.#isHeadRequest = isHeadRequest
    this.#handler = handler
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }

  get hasHead(): boolean {
    return this.#isPaused || !(this.#state === 'status' || this.#state === 'headers')
  }

  /** Throws InvalidResponse. */
  feed(bytes: Buffer): void {
    if (this.#state === 'done') return
    if (this.#partialLine.length > 0) {
      this.#partialLine.push(bytes)
      if (!bytes.includes(LINE_FEED)) {
        this.#countLineBytes(bytes.length)
        this.#refuseOtherProtocol()
        return
      }
      // Counted again as whole lines below. The last piece was not counted: most of it may be body.
      this.#lineBytes -= this.#partialLine.reduce((sum, { length }) => sum + length, 0) - bytes.length
      this.#input = Buffer.concat(this.#partialLine)
      this.#partialLine = []
    } else this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes])
    if (!this.#isPaused) this.#advance()
  }

  /** Continues after `head`. Throws InvalidResponse. */
  readBody(): void {
    this.#isPaused = false
    if (this.#state === 'done') this.#handler.end()
    else this.#advance()
  }

  /** The server closed the connection. Returns false when the response is incomplete. */
  finish(): boolean {
    if (this.#state === 'done') return true
    if (this.#state !== 'body until close') return false
    this.#state = 'done'
    if (!this.#isPaused) this.#handler.end()
    return true
  }

  #advance(): void {
    while (!this.#isPaused && this.#state !== 'done') {
      if (lineStates.has(this.#state)) {
        const end = this.#input.indexOf(LINE_FEED, this.#position)
        if (end === -1) {
          this.#keepPartialLine()
          return
        }
        this.#countLineBytes(end + 1 - this.#position)
        const hasCarriageReturn = end > this.#position && this.#input[end - 1] === CARRIAGE_RETURN
        const line = this.#input.toString('latin1', this.#position, hasCarriageReturn ? end - 1 : end)
        this.#position = end + 1
        this.#parseLine(line)
      } else if (!this.#passBody()) return
    }
    // Bytes after the head are kept until `readBody`, bytes after the end are dropped.
    this.#input = this.#isPaused && this.#state !== 'done' ? this.#input.subarray(this.#position) : EMPTY
    this.#position = 0
  }

  #keepPartialLine(): void {
    const rest = this.#input.subarray(this.#position)
    this.#input = EMPTY
    this.#position = 0
    if (rest.length === 0) return
    this.#partialLine.push(rest)
    this.#countLineBytes(rest.length)
    this.#refuseOtherProtocol()
  }

  /** Other protocols may never send a line end: refuses as soon as the first bytes cannot be those of a response. */
  #refuseOtherProtocol(): void {
    if (this.#state !== 'status' || this.#hasProtocol) return
    const start = Buffer.concat(this.#partialLine).toString('latin1', 0, PROTOCOL.length)
    if (start !== '\r' && !PROTOCOL.startsWith(start)) throw new InvalidResponse(reason('http_not_spoken'))
    this.#hasProtocol = start.length === PROTOCOL.length
  }

  #countLineBytes(bytes: number): void {
    this.#lineBytes += bytes
    if (this.#state === 'chunk line' || this.#state === 'chunk end') {
      if (this.#lineBytes > MAX_CHUNK_LINE_BYTES) throw new InvalidResponse(reason('http_chunk_line'))
    } else if (this.#lineBytes > MAX_HEAD_BYTES) throw new HeadTooLarge()
  }

  #parseLine(line: string): void {
    if (this.#state === 'status') this.#parseStatusLine(line)
    else if (this.#state === 'headers' && line !== '') this.#parseHeader(line)
    else if (this.#state === 'headers') this.#endHead()
    else if (this.#state === 'chunk line') this.#parseChunkLine(line)
    else if (this.#state === 'trailers' && line === '') this.#end()
    else if (this.#state === 'chunk end') {
      if (line !== '') throw new InvalidResponse(reason('http_chunk_overrun'))
      this.#enter('chunk line')
    }
  }

  #parseStatusLine(line: string): void {
    if (line === '') return
    const [, status] = STATUS_LINE.exec(line) ?? []
    if (status === undefined) throw new InvalidResponse(reason('http_no_status'))
    this.#status = Number(status)
    // Without a prototype, so that a header may have any name.
    this.#headers = Object.create(null)
    this.#lastHeader = ''
    this.#hasProtocol = false
    this.#state = 'headers'
  }

  #parseHeader(line: string): void {
    if (FORBIDDEN_IN_HEADER.test(line)) throw new InvalidResponse(reason('http_header_controls'))
    if (line.startsWith(' ') || line.startsWith('\t')) {
      // A folded header (obsolete): its value continues.
      if (this.#lastHeader === '') throw new InvalidResponse(reason('http_header_unnamed'))
      this.#headers[this.#lastHeader] += ` ${line.trim()}`
      return
    }
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!HEADER_NAME.test(name)) throw new InvalidResponse(reason('http_header_name'))
    const value = line.slice(colon + 1).trim()
    const earlier = this.#headers[name]
    this.#lastHeader = name
    if (earlier === undefined) this.#headers[name] = value
    else if (!SINGLE_HEADERS.has(name)) this.#headers[name] = `${earlier}, ${value}`
  }

  #endHead(): void {
    const status = this.#status
    // 101 is final: what follows it is another protocol.
    if (status < 200 && status !== 101) {
      this.#interimCount += 1
      if (this.#interimCount > MAX_INTERIM) throw new InvalidResponse(reason('http_interim', { count: MAX_INTERIM }))
      this.#state = 'status'
      return
    }
    this.#chooseBodyState(status)
    this.#isPaused = true
    this.#handler.head({ status, headers: this.#headers })
  }

  /** How the body ends: RFC 9112, section 6.3. */
  #chooseBodyState(status: number): void {
    const { 'transfer-encoding': coding, 'content-length': contentLength } = this.#headers
    const lengths = new Set(contentLength?.split(',').map((text) => text.trim()))
    const [length] = lengths
    if (lengths.size > 1) throw new InvalidResponse(reason('http_two_lengths'))
    if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new InvalidResponse(reason('http_length'))
    if (length !== undefined && coding !== undefined) throw new InvalidResponse(reason('http_length_and_chunks'))
    if (this.#isHeadRequest || status < 200 || status === 204 || status === 304) this.#state = 'done'
    else if (coding !== undefined) this.#enter(/(^|,)\s*chunked$/i.test(coding) ? 'chunk line' : 'body until close')
    else if (length === undefined) this.#state = 'body until close'
    else {
      this.#bodyBytesLeft = Number(length)
      this.#state = this.#bodyBytesLeft === 0 ? 'done' : 'body by length'
    }
  }

  #parseChunkLine(line: string): void {
    const [, digits] = CHUNK_LINE.exec(line) ?? []
    if (digits === undefined) throw new InvalidResponse(reason('http_chunk_size'))
    this.#bodyBytesLeft = Number.parseInt(digits, 16)
    this.#enter(this.#bodyBytesLeft === 0 ? 'trailers' : 'chunk')
  }

  /** Passes the body bytes of the input on; false when there are none. */
  #passBody(): boolean {
    const available = this.#input.length - this.#position
    if (available === 0) {
      this.#input = EMPTY
      this.#position = 0
      return false
    }
    const isBounded = this.#state !== 'body until close'
    const length = isBounded ? Math.min(this.#bodyBytesLeft, available) : available
    const bytes = this.#input.subarray(this.#position, this.#position + length)
    this.#position += length
    this.#bodyBytesLeft -= length
    this.#handler.data(bytes)
    if (isBounded && this.#bodyBytesLeft === 0) {
      if (this.#state === 'chunk') this.#enter('chunk end')
      else this.#end()
    }
    return true
  }

  #enter(state: State): void {
    this.#state = state
    this.#lineBytes = 0
  }

  #end(): void {
    this.#state = 'done'
    this.#handler.end()
  }
}
