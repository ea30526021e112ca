import type { FastifyError, FastifyReply } from 'fastify'
import { ApiError, invalid } from '../../contract/errors.ts'
import { QueueFull } from '../../lib/fair-queue.ts'
import type { TextParts } from '../../lib/json.ts'
import { reason } from '../../reasons/reason.ts'
import type { CountedRequest, RateLimit, RequestCount } from '../../storage/database.ts'

export type Headers = Readonly<Record<string, string>>
/** Completed by what sends them. */
export type ResponseHeaders = Record<string, string | string[]>

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The name of the rate-limit policy in the structured headers. */
const POLICY = 'public-api'

/** The headers of every response under /api: request id, rate limit, and that nobody may store it or guess its type. */
export function apiHeaders(limit: RateLimit, counted: RequestCount, requestId: string): Record<string, string> {
  const remaining = `${Math.max(0, limit.quota - counted.used)}`
  const reset = `${Math.ceil(counted.resetsInMs / 1000)}`
  return {
    'x-request-id': requestId,
    'ratelimit-limit': `${limit.quota}`,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': reset,
    ratelimit: `${POLICY};r=${remaining};t=${reset}`,
    'ratelimit-policy': `${POLICY};q=${limit.quota};w=${limit.windowMs / 1000}`,
    'cache-control': 'no-store',
    vary: 'Authorization, X-API-Key',
    'x-content-type-options': 'nosniff',
  }
}

/** All keys of an organization together may make so many times the requests of one key. */
const ORGANIZATION_QUOTAS = 10

/** The error for a request beyond the quota of its key or address, or of its organization. */
export function refusalOf(limit: RateLimit, counted: CountedRequest): ApiError | undefined {
  if (counted.used > limit.quota) return rateLimited(counted)
  const { organization } = counted
  if (organization === undefined || organization.used <= limit.quota * ORGANIZATION_QUOTAS) return undefined
  return rateLimited(organization, 'Too many requests by all API keys of the organization')
}

export function rateLimited({ resetsInMs }: Pick<RequestCount, 'resetsInMs'>, reason = 'Too many requests'): ApiError {
  const seconds = Math.ceil(resetsInMs / 1000)
  return new ApiError('rate_limited', `${reason}; try again in ${seconds} s`, {
    headers: { 'retry-after': `${seconds}` },
  })
}

export function unauthorized(problem: string): ApiError {
  return new ApiError('unauthorized', problem, { headers: { 'www-authenticate': 'Bearer' } })
}

/** The body of every error response. Only that of the dashboard's API has the codes of messages. */
export function envelope(error: ApiError, requestId: string, isForDashboard = false): string {
  const { code, message, reason } = error
  const details = error.details?.map(({ path, message, reason }) => ({
    path,
    message,
    ...(isForDashboard && { reason }),
  }))
  return JSON.stringify({ error: { code, message, requestId, ...(isForDashboard && { reason }), details } })
}

export function sendError(
  reply: FastifyReply,
  error: ApiError,
  requestId: string,
  headers: Headers,
  isForDashboard = false,
): FastifyReply {
  const text = envelope(error, requestId, isForDashboard)
  reply
    .code(error.status)
    .headers({ 'x-request-id': requestId, 'content-type': JSON_TYPE, ...headers, ...error.headers })
    .send(text)
  reply.server.pendingResponses.count(reply.raw, text.length, reply.request.ip)
  return reply
}

/** A larger response of a read is refused if there is no memory for it. */
export const LARGE_BYTES = 256 * 1024

/**
 * Sends a successful response directly through Node, as JSON unless the headers have another content type. Fastify's reply would
 * cost 11 % of the CPU time of `GET /monitors/{id}` (main thread, 150,000 requests over 32 connections). `client` is the
 * organization, or the address of a client without one.
 */
export function sendText(
  reply: FastifyReply,
  status: number,
  text: TextParts,
  headers: ResponseHeaders,
  client: string,
): FastifyReply {
  const { raw, request, server } = reply
  const parts = typeof text === 'string' ? [text] : text
  let bytes = 0
  for (const part of parts) bytes += Buffer.byteLength(part)
  // A change has happened: its response is sent in any case.
  if (bytes > LARGE_BYTES && request.method === 'GET') server.pendingResponses.requireRoom(bytes, client)
  headers['content-type'] ??= JSON_TYPE
  headers['content-length'] = `${bytes}`
  reply.hijack()
  raw.writeHead(status, headers)
  server.pendingResponses.send(raw, parts, bytes, client)
  return reply
}

/** Fastify checks the content type before our hooks run, and requires one for the method QUERY. */
const contentTypeErrors = new Set(['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'])

/** How long a client should wait if too many passwords are being hashed. */
const OVERLOAD_WAIT_SECONDS = 2

/** Converts anything thrown into the error that the client sees. Unexpected errors become `internal_error`. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (contentTypeErrors.has((error as FastifyError | undefined)?.code ?? '')) {
    return invalid([{ path: 'content-type', message: 'must be application/json' }])
  }
  if (error instanceof QueueFull) {
    return new ApiError('rate_limited', reason('overloaded', { seconds: OVERLOAD_WAIT_SECONDS }), {
      cause: error,
      headers: { 'retry-after': `${OVERLOAD_WAIT_SECONDS}` },
    })
  }
  return new ApiError('internal_error', reason('internal_error'), { cause: error })
}
