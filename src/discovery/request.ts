import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

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
/** More than any list of containers, and than a page of objects. */
const MAX_BYTES = 64 * 1024 * 1024

/** The parsed answer, and the server's time. */
export async function getJson<T>(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly body: T; readonly date: number }> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const response = await open(endpoint, path, inTime)
  try {
    const text = await textOf(response)
    return { body: JSON.parse(text) as T, date: Date.parse(response.headers.date ?? '') }
  } catch (error) {
    throw new DiscoveryError(`${endpoint.name} did not answer with JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** Streams the lines of an answer that does not end, as JSON. */
export async function* streamJson<T>(endpoint: Endpoint, path: string, signal: AbortSignal): AsyncGenerator<T> {
  const response = await open(endpoint, path, signal)
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T
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
  const text = await textOf(response).catch(() => '')
  throw new DiscoveryError(`${name} answered with ${status}${messageIn(text)}`, { status })
}

function reasonOf(error: NodeJS.ErrnoException, signal: AbortSignal): string {
  if (signal.aborted) return 'it did not answer in time'
  return error.message || (error.code ?? 'the connection failed')
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Docker and Kubernetes explain errors in `message`. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? `: ${message.trim()}` : ''
  } catch {
    return ''
  }
}
