import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** One step of a client on a plain TCP connection. */
export type ConnectionStep =
  /** Every character is one byte. */
  | { readonly send: string }
  | { readonly waitMs: number }
  /** Waits until this many answers have come, or the connection has ended. */
  | { readonly awaitAnswers: number }
  /** Ends the sending side and keeps receiving. */
  | 'finish'
  /** Resets the connection. */
  | 'reset'

export interface RawAnswer {
  readonly status: number
  /** By name in lower case; a repeated header has several values. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

export interface Exchange {
  readonly answers: readonly RawAnswer[]
  /** Bytes that are no complete response. */
  readonly rest: string
  /** How the connection ended: closed by the server, reset, or still open after the time limit. */
  readonly end: 'closed' | 'reset' | 'open'
}

export interface ConnectionOptions {
  /** How long the server may take after the last step. */
  readonly timeoutMs?: number
  /** Disconnects after this many responses instead of waiting for the server to close. */
  readonly enough?: number
  /** Requests (counted from 0) whose responses have no body. */
  readonly heads?: readonly number[]
}

/** Takes the steps on a new connection and collects the responses until the server closes it. */
export async function runConnection(
  port: number,
  steps: readonly ConnectionStep[],
  options: ConnectionOptions = {},
): Promise<Exchange> {
  const { timeoutMs = 60_000, enough = Number.POSITIVE_INFINITY, heads = [] } = options
  const connection = new RawConnection(port, heads)
  try {
    await connection.opened
    for (const step of steps) {
      if (connection.end !== undefined) break
      if (step === 'finish') connection.socket.end()
      else if (step === 'reset') connection.socket.resetAndDestroy()
      else if ('send' in step) connection.socket.write(step.send, 'latin1')
      else if ('waitMs' in step) await delay(step.waitMs)
      else await connection.until(() => connection.read().answers.length >= step.awaitAnswers, timeoutMs)
    }
    await connection.until(() => connection.read().answers.length >= enough, timeoutMs)
    return { ...connection.read(), end: connection.end ?? 'open' }
  } finally {
    connection.socket.destroy()
  }
}

class RawConnection {
  readonly socket: Socket
  readonly opened: Promise<void>
  readonly #heads: readonly number[]
  #chunks: Buffer[] = []
  #wake: (() => void) | undefined
  end: 'closed' | 'reset' | undefined

  constructor(port: number, heads: readonly number[]) {
    this.#heads = heads
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('connect', resolve).once('error', reject)
    })
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#wake?.()
    })
    this.socket.on('end', () => this.#finish('closed'))
    this.socket.on('error', () => this.#finish('reset'))
    this.socket.on('close', () => this.#finish('closed'))
  }

  /** Resolves when `done` is true, the connection has ended, or time is up. */
  async until(done: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (this.end === undefined && !done()) {
      const left = deadline - performance.now()
      if (left <= 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, left)
      this.#wake = resolve
      await promise
      clearTimeout(timer)
    }
  }

  read(): { answers: RawAnswer[]; rest: string } {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return parseAnswers(this.#chunks[0] ?? Buffer.alloc(0), this.#heads, this.end !== undefined)
  }

  #finish(how: 'closed' | 'reset'): void {
    this.end ??= how
    this.#wake?.()
  }
}

/** Parses responses strictly: what is not exactly HTTP/1.1 is left over. Skips interim responses (1xx). */
function parseAnswers(bytes: Buffer, heads: readonly number[], ended: boolean) {
  const answers: RawAnswer[] = []
  let text = bytes.toString('latin1')
  for (;;) {
    const headEnd = text.indexOf('\r\n\r\n')
    if (headEnd === -1) break
    const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [^\r\n]*$/.exec(statusLine)?.[1] ?? Number.NaN)
    const headers = headersOf(lines)
    if (Number.isNaN(status) || headers === undefined) break
    const after = text.slice(headEnd + 4)
    if (status < 200) {
      text = after
      continue
    }
    const bare = heads.includes(answers.length) || status === 204 || status === 304
    const body = bare ? { taken: 0, content: '' } : bodyOf(headers, after, ended)
    if (body === undefined) break
    answers.push({ status, headers, body: Buffer.from(body.content, 'latin1').toString('utf8') })
    text = after.slice(body.taken)
  }
  return { answers, rest: text }
}

function headersOf(lines: readonly string[]): Map<string, string[]> | undefined {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return headers
}

function bodyOf(headers: Map<string, string[]>, text: string, ended: boolean) {
  const length = headers.get('content-length')?.[0]
  if (length !== undefined) {
    const size = Number(length)
    return text.length < size ? undefined : { taken: size, content: text.slice(0, size) }
  }
  if (headers.get('transfer-encoding')?.[0] === 'chunked') return dechunked(text)
  // Without either, the end of the connection is the end of the body.
  return ended ? { taken: text.length, content: text } : undefined
}

function dechunked(text: string): { taken: number; content: string } | undefined {
  let at = 0
  let content = ''
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const start = lineEnd + 2
    if (Number.isNaN(size) || text.length < start + size + 2) return undefined
    content += text.slice(start, start + size)
    at = start + size + 2
    if (size === 0) return { taken: at, content }
  }
}

/** Bytes as text in which every character is one byte. */
export function bytes(of: string | Buffer): string {
  return (typeof of === 'string' ? Buffer.from(of) : of).toString('latin1')
}

/** The bytes of a request: header names and values as they are given, the body's length counted unless it is given. */
export function request(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const counted = body !== '' && !given.has('content-length') && !given.has('transfer-encoding')
  const all = {
    ...(given.has('host') ? {} : { Host: 'localhost' }),
    ...headers,
    ...(counted ? { 'Content-Length': `${body.length}` } : {}),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
