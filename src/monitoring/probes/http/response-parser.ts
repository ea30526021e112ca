/**
 * Reads one HTTP/1.1 answer (RFC 9112) off a connection that serves no second one. Node's own client would do it, and did: it
 * costs twice what everything else about a check does, for what a check never uses (docs/decisions/0006). Whatever browsers
 * take is taken; what has no one meaning is refused.
 */

/** The names are in small letters. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>

export interface ResponseHead {
  readonly status: number
  readonly headers: ResponseHeaders
}

/** What is made of the bytes, as they come. After `head` nothing comes until the reader is told to go on. */
export interface ResponseHandler {
  head(head: ResponseHead): void
  data(bytes: Buffer): void
  end(): void
}

/** The bytes are no answer; the message says why not, in a few words. */
export class InvalidResponse extends Error {}

/** Told apart from other faults, for it may be meant well. */
export class HeadTooLarge extends InvalidResponse {}

export const MAX_HEAD_KIB = 64
const MAX_HEAD_BYTES = MAX_HEAD_KIB * 1024
/** The line before a chunk: a number, and extensions that nobody uses. */
const MAX_CHUNK_LINE_BYTES = 4096

const LINE_END = 0x0a
const CARRIAGE_RETURN = 0x0d
const nothing = Buffer.alloc(0)

const START = 'HTTP/1.'
const STATUS_LINE = /^HTTP\/1\.\d ([1-9]\d\d)(?: |$)/
const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const CHUNK_LINE = /^([\da-fA-F]{1,12})[ \t]*(?:;.*)?$/s
const UNSENDABLE = /[\0\r]/
/** Of these a second one would be an error of the server; the first is taken. */
const SINGLE = new Set(['content-type', 'location', 'content-encoding', 'server', 'date', 'etag', 'retry-after'])

type State =
  | ('status' | 'headers' | 'chunk line' | 'chunk end' | 'trailers')
  | ('body of a length' | 'chunk' | 'body to the end' | 'done')

const inLines: ReadonlySet<State> = new Set(['status', 'headers', 'chunk line', 'chunk end', 'trailers'])

export class ResponseParser {
  readonly #sink: ResponseHandler
  readonly #isBodiless: boolean
  #state: State = 'status'
  #input: Buffer = nothing
  #at = 0
  /** The pieces of a line that has not ended yet. */
  #held: Buffer[] = []
  /** Whether the line that has not ended yet was seen to begin as it should. */
  #hasBegun = false
  /** Bytes since the beginning of what has a limit: a head, a line before a chunk, trailers. */
  #counted = 0
  #status = 0
  #headers: Record<string, string | undefined> = {}
  #lastName = ''
  #left = 0
  #isWaiting = false

  /** `isBodiless`: whatever it announces, an answer to HEAD has no body. */
  constructor(isBodiless: boolean, sink: ResponseHandler) {
    this.#isBodiless = isBodiless
    this.#sink = sink
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }

  get hasHead(): boolean {
    return this.#isWaiting || !(this.#state === 'status' || this.#state === 'headers')
  }

  /** Throws a BadAnswer. */
  feed(bytes: Buffer): void {
    if (this.#state === 'done') return
    if (this.#held.length > 0) {
      this.#held.push(bytes)
      this.#count(bytes.length)
      if (!bytes.includes(LINE_END)) {
        this.#refuseEarly()
        return
      }
      this.#counted -= this.#held.reduce((sum, { length }) => sum + length, 0)
      this.#input = Buffer.concat(this.#held)
      this.#held = []
    } else this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes])
    if (!this.#isWaiting) this.#advance()
  }

  /** The head has been looked at, and its body is wanted. Throws a BadAnswer. */
  readBody(): void {
    this.#isWaiting = false
    if (this.#state === 'done') this.#sink.end()
    else this.#advance()
  }

  /** The other side has closed. False where it owes something still. */
  finish(): boolean {
    if (this.#state === 'done') return true
    if (this.#state !== 'body to the end') return false
    this.#state = 'done'
    if (!this.#isWaiting) this.#sink.end()
    return true
  }

  #advance(): void {
    while (!this.#isWaiting && this.#state !== 'done') {
      if (inLines.has(this.#state)) {
        const end = this.#input.indexOf(LINE_END, this.#at)
        if (end === -1) {
          this.#keepRest()
          return
        }
        this.#count(end + 1 - this.#at)
        const isPair = end > this.#at && this.#input[end - 1] === CARRIAGE_RETURN
        const line = this.#input.toString('latin1', this.#at, isPair ? end - 1 : end)
        this.#at = end + 1
        this.#readLine(line)
      } else if (!this.#readBody()) return
    }
    // What came after the head waits; what came after the end is nobody's.
    this.#input = this.#isWaiting && this.#state !== 'done' ? this.#input.subarray(this.#at) : nothing
    this.#at = 0
  }

  #keepRest(): void {
    const rest = this.#input.subarray(this.#at)
    this.#input = nothing
    this.#at = 0
    if (rest.length === 0) return
    this.#held.push(rest)
    this.#count(rest.length)
    this.#refuseEarly()
  }

  /** Some never send a line end: what cannot become an answer any more is refused without waiting for one. */
  #refuseEarly(): void {
    if (this.#state !== 'status' || this.#hasBegun) return
    const start = Buffer.concat(this.#held).toString('latin1', 0, START.length)
    if (start !== '\r' && !START.startsWith(start)) throw new InvalidResponse('it does not begin with HTTP/1')
    this.#hasBegun = start.length === START.length
  }

  #count(bytes: number): void {
    this.#counted += bytes
    if (this.#state === 'chunk line' || this.#state === 'chunk end') {
      if (this.#counted > MAX_CHUNK_LINE_BYTES) throw new InvalidResponse('the line before a chunk is too long')
    } else if (this.#counted > MAX_HEAD_BYTES) throw new HeadTooLarge()
  }

  #readLine(line: string): void {
    if (this.#state === 'status') this.#readStatus(line)
    else if (this.#state === 'headers' && line !== '') this.#readField(line)
    else if (this.#state === 'headers') this.#endHead()
    else if (this.#state === 'chunk line') this.#readChunkLine(line)
    else if (this.#state === 'trailers' && line === '') this.#end()
    else if (this.#state === 'chunk end') {
      if (line !== '') throw new InvalidResponse('a chunk is longer than announced')
      this.#enter('chunk line')
    }
  }

  #readStatus(line: string): void {
    // Some servers end the body before with an empty line too many.
    if (line === '') return
    const [, status] = STATUS_LINE.exec(line) ?? []
    if (status === undefined) throw new InvalidResponse('it does not begin with HTTP/1 and a status')
    this.#status = Number(status)
    this.#headers = Object.create(null)
    this.#lastName = ''
    this.#hasBegun = false
    this.#state = 'headers'
  }

  #readField(line: string): void {
    if (UNSENDABLE.test(line)) throw new InvalidResponse('a header has control characters in it')
    if (line.startsWith(' ') || line.startsWith('\t')) {
      // A folded line, as it was once allowed.
      if (this.#lastName === '') throw new InvalidResponse('a header has no name')
      this.#headers[this.#lastName] += ` ${line.trim()}`
      return
    }
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!NAME.test(name)) throw new InvalidResponse('a header has no proper name')
    const value = line.slice(colon + 1).trim()
    const before = this.#headers[name]
    this.#lastName = name
    if (before === undefined) this.#headers[name] = value
    else if (!SINGLE.has(name)) this.#headers[name] = `${before}, ${value}`
  }

  #endHead(): void {
    const status = this.#status
    // 101 is no interim answer: what follows it is no HTTP.
    if (status < 200 && status !== 101) {
      this.#state = 'status'
      return
    }
    this.#frame(status)
    this.#isWaiting = true
    this.#sink.head({ status, headers: this.#headers })
  }

  /** How the body ends (RFC 9112, section 6.3). */
  #frame(status: number): void {
    const { 'transfer-encoding': coding, 'content-length': announced } = this.#headers
    const lengths = new Set(announced?.split(',').map((text) => text.trim()))
    const [length] = lengths
    if (lengths.size > 1) throw new InvalidResponse('it announces two lengths')
    if (length !== undefined && !/^\d{1,15}$/.test(length))
      throw new InvalidResponse('the announced length is no number')
    if (length !== undefined && coding !== undefined) throw new InvalidResponse('it announces a length and chunks')
    if (this.#isBodiless || status < 200 || status === 204 || status === 304) this.#state = 'done'
    else if (coding !== undefined) this.#enter(/(^|,)\s*chunked$/i.test(coding) ? 'chunk line' : 'body to the end')
    else if (length === undefined) this.#state = 'body to the end'
    else {
      this.#left = Number(length)
      this.#state = this.#left === 0 ? 'done' : 'body of a length'
    }
  }

  #readChunkLine(line: string): void {
    const [, digits] = CHUNK_LINE.exec(line) ?? []
    if (digits === undefined) throw new InvalidResponse('the size of a chunk is no number')
    this.#left = Number.parseInt(digits, 16)
    this.#enter(this.#left === 0 ? 'trailers' : 'chunk')
  }

  /** Hands on what there is of the body; false when there is no more. */
  #readBody(): boolean {
    const available = this.#input.length - this.#at
    if (available === 0) {
      this.#input = nothing
      this.#at = 0
      return false
    }
    const isBounded = this.#state !== 'body to the end'
    const taken = isBounded ? Math.min(this.#left, available) : available
    const bytes = this.#input.subarray(this.#at, this.#at + taken)
    this.#at += taken
    this.#left -= taken
    this.#sink.data(bytes)
    if (isBounded && this.#left === 0) {
      if (this.#state === 'chunk') this.#enter('chunk end')
      else this.#end()
    }
    return true
  }

  #enter(state: State): void {
    this.#state = state
    this.#counted = 0
  }

  #end(): void {
    this.#state = 'done'
    this.#sink.end()
  }
}
