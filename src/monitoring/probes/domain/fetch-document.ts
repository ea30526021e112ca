import { type NetworkTools, startAttempt } from '../attempt.ts'
import { type HttpResponse, openConnection, sendRequest } from '../http/connection.ts'
import { readBody } from '../http/read-body.ts'
import { type HttpRequest, redirectedRequest } from '../http/request.ts'
import { RegistryError } from './registry-answer.ts'

const MAX_REDIRECTS = 5
const MAX_MIB = 1
/** For one document, redirects included. */
const PATIENCE_MS = 10_000

export interface Fetched {
  readonly status: number
  readonly contentType: string
  /** Empty unless the status is 200. */
  readonly text: string
}

/** Gets a document, following redirects; every hop passes the guard. Throws an OutboundError or a RegistryFault. */
export async function fetchDocument(url: URL, accept: string, tools: NetworkTools, signal: AbortSignal) {
  let request: HttpRequest = { url, method: 'GET', headers: [['Accept', accept]], body: null }
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const step = await takeStep(request, tools, signal)
    if ('status' in step) return step
    request = step
  }
  throw new RegistryError(`${url.host} redirected more than ${MAX_REDIRECTS} times`)
}

async function takeStep(
  request: HttpRequest,
  tools: NetworkTools,
  parent: AbortSignal,
): Promise<Fetched | HttpRequest> {
  using visit = startAttempt(PATIENCE_MS, parent)
  using hop = await openConnection(request.url, true, tools, visit)
  const answer = await sendRequest(request, hop, visit.signal)
  const next = redirectedRequest(request, answer.status, answer.headers.location)
  if (typeof next === 'string') throw new RegistryError(`${request.url.host}: ${next}`)
  return next ?? (await whole(answer, request.url.host, visit.signal))
}

/** The body is of interest only where the registry has something to say. */
async function whole(answer: HttpResponse, host: string, signal: AbortSignal): Promise<Fetched> {
  const contentType = answer.headers['content-type'] ?? ''
  if (answer.status !== 200) return { status: answer.status, contentType, text: '' }
  const chunks: Buffer[] = []
  let bytes = 0
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
    return bytes <= MAX_MIB * 1024 * 1024
  }
  await readBody(answer, take, signal, 'decoded')
  if (bytes > MAX_MIB * 1024 * 1024) throw new RegistryError(`The answer of ${host} is larger than ${MAX_MIB} MiB`)
  return { status: 200, contentType, text: Buffer.concat(chunks).toString('utf8') }
}

/** The value of a JSON text, or a fault that names who sent it. */
export function parseJson(text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RegistryError(`The answer of ${host} is not JSON`, { cause })
  }
}
