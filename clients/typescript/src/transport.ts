import { errorOf, errorWith, PharosError, type RawResponse, unexpected } from './errors.ts'
import { retryDelayMs } from './retry.ts'

/** That of package.json. */
const VERSION = '0.1.0'

export interface ClientSettings {
  /** The address of the server, such as `https://pharos.example.com`. */
  readonly url: string | URL
  readonly apiKey: string
  /** Limit of one attempt. Default: 30,000. */
  readonly timeoutMs?: number
  /** How often a failed request is repeated. Default: 4. */
  readonly maxRetries?: number
  /** No retry starts later than this after the first attempt. Default: 120,000. */
  readonly maxRetryMs?: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** Settings of one call. */
export interface RequestOptions {
  /** Ends the call, its waiting and its retries. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxRetries?: number
  readonly maxRetryMs?: number
  /**
   * Identifies a change, so that it is made once however often it is sent. By default the client makes one for each call and
   * keeps it across retries.
   */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sees every response of the call as it arrived: status, headers and text. */
  readonly onResponse?: (response: RawResponse) => void
}

export type Query = Readonly<Record<string, unknown>>

export interface Call {
  readonly method: string
  /** Begins with a slash, parameters filled in. */
  readonly path: string
  readonly query?: Query | undefined
  /** Sent as JSON, a Blob as it is. */
  readonly body?: unknown
  /** Of the operations that this client knows; otherwise either. */
  readonly answer?: 'object' | 'list' | 'text' | undefined
}

const defaults = { timeoutMs: 30_000, maxRetries: 4, maxRetryMs: 120_000 }

/** Sends requests, repeats what may be repeated, and turns failures into a PharosError. */
export class Transport {
  readonly #settings: ClientSettings
  readonly #base: string

  constructor(settings: ClientSettings) {
    this.#settings = settings
    this.#base = baseOf(settings.url)
    if (!/^[\x21-\x7e]+$/.test(settings.apiKey)) throw new TypeError('apiKey must be an API key of Pharos')
  }

  async send(call: Call, options: RequestOptions = {}): Promise<unknown> {
    const limits = { ...defaults, ...given(this.#settings), ...given(options) }
    const url = `${this.#base}${call.path}${queryText(call.query)}`
    const request = { method: call.method, headers: this.#headers(call, options), body: bodyOf(call) }
    const startedAt = Date.now()
    for (let attempt = 0; ; attempt += 1) {
      try {
        return contentOf(await this.#attempt(url, request, limits.timeoutMs, options), call)
      } catch (error) {
        if (!(error instanceof PharosError)) throw error
        const delayMs = retryDelayMs(error, attempt, Date.now() - startedAt, limits, Math.random())
        if (delayMs === undefined) throw error
        await sleep(delayMs, options.signal)
      }
    }
  }

  #headers(call: Call, { idempotencyKey, headers }: RequestOptions): Record<string, string> {
    return {
      accept: 'application/json',
      // Browsers do not let it be set, and send their own.
      'user-agent': `pharos-client/${VERSION}`,
      authorization: `Bearer ${this.#settings.apiKey}`,
      ...(call.body === undefined ? {} : { 'content-type': typeOf(call.body) }),
      ...(call.method === 'GET' ? {} : { 'idempotency-key': idempotencyKey ?? newKey() }),
      ...this.#settings.headers,
      ...headers,
    }
  }

  async #attempt(
    url: string,
    request: { method: string; headers: Record<string, string>; body: string | Blob | null },
    timeoutMs: number,
    { signal, onResponse }: RequestOptions,
  ): Promise<RawResponse> {
    signal?.throwIfAborted()
    // Not AbortSignal.any: Node 20.0 and older browsers do not have it.
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), timeoutMs)
    const abort = () => controller.abort()
    signal?.addEventListener('abort', abort, { once: true })
    const send = this.#settings.fetch ?? fetch
    try {
      // Redirects are refused: they would turn a POST into a GET.
      const response = await send(url, { ...request, redirect: 'manual', signal: controller.signal })
      const { status, headers, ok, type } = response
      const raw: RawResponse = { status, headers, text: await response.text() }
      onResponse?.(raw)
      if (!ok) throw errorOf(raw, type === 'opaqueredirect')
      return raw
    } catch (cause) {
      if (cause instanceof PharosError) throw cause
      signal?.throwIfAborted()
      if (!controller.signal.aborted && !(cause instanceof TypeError)) throw cause
      throw controller.signal.aborted
        ? errorWith('timeout', `The server did not answer within ${timeoutMs / 1000} seconds`, { cause })
        : errorWith('network_error', `Cannot reach ${this.#base}: ${reasonOf(cause as Error)}`, { cause })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

function baseOf(url: string | URL): string {
  const { protocol, origin, pathname } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('url must begin with https:// or http://')
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** Without settings that are undefined. */
function given({ timeoutMs, maxRetries, maxRetryMs }: RequestOptions): Partial<typeof defaults> {
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(maxRetryMs === undefined ? {} : { maxRetryMs }),
  }
}

function bodyOf({ body }: Call): string | Blob | null {
  if (body instanceof Blob) return body
  return body === undefined ? null : JSON.stringify(body)
}

function typeOf(body: unknown): string {
  return body instanceof Blob ? 'application/octet-stream' : 'application/json'
}

/** Lists are separated by commas; null and undefined are left out. */
function queryText(query: Query | undefined): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null)
  if (entries.length === 0) return ''
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`
}

/** The content of a success. Whatever Pharos cannot have sent is an error: many servers answer 200 to everything. */
function contentOf(response: RawResponse, { answer }: Call): unknown {
  const { headers, text } = response
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '')
  // Every response of the API has an id.
  if (!headers.has('x-request-id') || (answer !== undefined && isJson === (answer === 'text')))
    throw unexpected(response)
  if (!isJson) return text
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (cause) {
    throw unexpected(response, cause)
  }
  // Some operations answer null where there is nothing.
  if (content === null && answer !== 'list') return null
  if (!isObject(content) || (answer === 'list' && !isPage(content))) throw unexpected(response)
  return content
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPage({ data, pagination }: Record<string, unknown>): boolean {
  return Array.isArray(data) && isObject(pagination) && typeof pagination.total === 'number'
}

/** Node has the reason in the cause of "fetch failed". */
function reasonOf({ message, cause }: Error): string {
  const inner = cause as { message?: unknown; code?: unknown } | undefined
  return String(inner?.message || inner?.code || message)
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
  signal?.throwIfAborted()
}
