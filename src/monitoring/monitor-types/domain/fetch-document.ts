import { isReason, reason } from '../../../reasons/reason.ts'
import { startAttempt } from '../attempt.ts'
import type { NetworkTools } from '../definition.ts'
import { openConnection } from '../http/connection.ts'
import { readAtMost } from '../http/read-body.ts'
import { type HttpRequest, redirectedRequest } from '../http/request.ts'
import { type HttpResponse, sendRequest } from '../http/response.ts'
import { RegistryError } from './registry-answer.ts'

const MAX_REDIRECTS = 5
/** For each hop. */
const TIMEOUT_MS = 10_000

export interface FetchedDocument {
  readonly status: number
  readonly contentType: string
  /** Empty unless the status is 200. */
  readonly text: string
}

export interface DocumentOptions {
  readonly accept: string
  /** Of the decoded document. */
  readonly maxKib: number
}

/** Gets a document and follows redirects; the guard checks every hop. Throws an OutboundError or a RegistryError. */
export async function fetchDocument(
  url: URL,
  { accept, maxKib }: DocumentOptions,
  tools: NetworkTools,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  let request: HttpRequest = { url, method: 'GET', headers: [['Accept', accept]], body: null }
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const next = await exchange(request, maxKib, tools, signal)
    if ('status' in next) return next
    request = next
  }
  throw new RegistryError(reason('registry_redirects', { count: MAX_REDIRECTS, host: url.host }))
}

async function exchange(
  request: HttpRequest,
  maxKib: number,
  tools: NetworkTools,
  signal: AbortSignal,
): Promise<FetchedDocument | HttpRequest> {
  using attempt = startAttempt({ timeoutMs: TIMEOUT_MS }, signal)
  using connection = await openConnection(request.url, true, tools, attempt)
  const response = await sendRequest(request, connection, attempt.signal)
  const next = redirectedRequest(request, response.status, response.headers.location)
  if (next !== null && isReason(next))
    throw new RegistryError(reason('registry_at', { host: request.url.host, cause: next }))
  return next ?? (await readDocument(response, request.url.host, maxKib, attempt.signal))
}

async function readDocument(
  response: HttpResponse,
  host: string,
  maxKib: number,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  const contentType = response.headers['content-type'] ?? ''
  if (response.status !== 200) return { status: response.status, contentType, text: '' }
  const content = await readAtMost(maxKib, response, signal)
  if (content === undefined) throw new RegistryError(reason('registry_too_large', { host, kib: maxKib }))
  return { status: 200, contentType, text: content.toString('utf8') }
}

/** Throws a RegistryError that names the host. */
export function parseJson(text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RegistryError(reason('registry_not_json', { host }), { cause })
  }
}
