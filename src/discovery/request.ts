import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { truncate } from '../lib/text.ts'

/** Something that discovery cannot do, as a sentence for people. */
export class DiscoveryError extends Error {
  override name = 'DiscoveryError'
  /** The status of the response, if there was one. */
  readonly status: number | undefined

  constructor(message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options)
    this.status = options.status
  }
}

/** The answer has more bytes than it may have. */
export class AnswerTooLarge extends DiscoveryError {
  override name = 'AnswerTooLarge'
}

/** The address of an HTTP API and how to connect to it. */
export interface Endpoint {
  /** For messages: "Docker at unix:///var/run/docker.sock". */
  readonly name: string
  readonly isTls: boolean
  /** The path before those of requests, for example of a proxy; without a slash at the end. */
  readonly basePath?: string
  readonly options: RequestOptions & {
    readonly ca?: string | Buffer | undefined
    readonly cert?: string | Buffer | undefined
    readonly key?: string | Buffer | undefined
    readonly servername?: string | undefined
    readonly rejectUnauthorized?: boolean
  }
}

const TIMEOUT_MS = 30_000
/** More than any list of containers. */
const MAX_BYTES = 64 * 1024 * 1024
/** Of an event, which contains the object: more than two of the largest that Kubernetes stores. */
const MAX_LINE_CHARS = 4 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const MAX_MESSAGE_CHARS = 300

/** The parsed answer, and the server's time. */
export async function getJson<T>(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal,
  maxBytes = MAX_BYTES,
): Promise<{ readonly body: T; readonly date: number }> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const response = await open(endpoint, path, inTime)
  const text = await textOf(endpoint, response, maxBytes)
  try {
    return { body: JSON.parse(text) as T, date: Date.parse(response.headers.date ?? '') }
  } catch (error) {
    throw new DiscoveryError(`${endpoint.name} did not answer with JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** Streams the lines of an answer that does not end, as JSON. */
export async function* streamJson(endpoint: Endpoint, path: string, signal: AbortSignal): AsyncGenerator<unknown> {
  const response = await open(endpoint, path, signal)
  let parts: string[] = []
  let chars = 0
  try {
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      const [first = '', ...others] = chunk.split('\n')
      parts.push(first)
      chars += first.length
      for (const other of others) {
        const line = parts.join('')
        parts = [other]
        chars = other.length
        if (line.trim() !== '') yield JSON.parse(line)
      }
      if (chars > MAX_LINE_CHARS) throw new Error('an event is too large')
    }
  } catch (error) {
    throw new DiscoveryError(`Events of ${endpoint.name} ended: ${(error as Error).message}`, { cause: error })
  }
}

async function open(endpoint: Endpoint, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { name, isTls, basePath = '', options } = endpoint
  const send = isTls ? requestHttps : requestHttp
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send({ ...options, path: `${basePath}${path}`, signal, agent: false }, resolve)
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(new DiscoveryError(`${name} cannot be reached: ${reasonOf(error, signal)}`, { cause: error }))
    })
    request.end()
  })
  if (response.statusCode === 200) return response
  const status = Number(response.statusCode)
  const text = await textOf(endpoint, response, MAX_ERROR_BYTES).catch(() => '')
  throw new DiscoveryError(`${name} answered with ${status}${messageIn(text)}`, { status })
}

function reasonOf(error: NodeJS.ErrnoException, signal: AbortSignal): string {
  if (signal.aborted) return 'it did not answer in time'
  return error.message || (error.code ?? 'the connection failed')
}

async function textOf(endpoint: Endpoint, response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new AnswerTooLarge(`${endpoint.name} answered with more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof DiscoveryError) throw error
    throw new DiscoveryError(`The answer of ${endpoint.name} ended: ${(error as Error).message}`, { cause: error })
  }
  return Buffer.concat(chunks).toString()
}

/** Docker and Kubernetes explain errors in `message`. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? `: ${truncate(message.trim(), MAX_MESSAGE_CHARS)}` : ''
  } catch {
    return ''
  }
}
