import type { FastifyError, FastifyReply } from 'fastify'
import { ApiError, invalid } from '../../contract/errors.ts'
import type { CountedRequest, RateLimit } from '../../storage/database.ts'

export type Headers = Readonly<Record<string, string>>

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The policy's name in the structured headers. */
const POLICY = 'public-api'

/** The five rate-limit headers that every answer under /api/v1 carries. */
export function rateHeaders(rule: RateLimit, admission: Pick<CountedRequest, 'used' | 'resetsInMs'>): Record<string, string> {
  const remaining = Math.max(0, rule.quota - admission.used)
  const reset = Math.ceil(admission.resetsInMs / 1000)
  return {
    'ratelimit-limit': `${rule.quota}`,
    'ratelimit-remaining': `${remaining}`,
    'ratelimit-reset': `${reset}`,
    ratelimit: `${POLICY};r=${remaining};t=${reset}`,
    'ratelimit-policy': `${POLICY};q=${rule.quota};w=${rule.windowMs / 1000}`,
  }
}

export function isOverQuota(rule: RateLimit, admission: CountedRequest): boolean {
  return admission.used > rule.quota
}

export function rateLimited(admission: CountedRequest): ApiError {
  const seconds = Math.ceil(admission.resetsInMs / 1000)
  return new ApiError('rate_limited', `Too many requests; try again in ${seconds} s`, {
    headers: { 'retry-after': `${seconds}` },
  })
}

export function unauthorized(problem: string): ApiError {
  return new ApiError('unauthorized', problem, { headers: { 'www-authenticate': 'Bearer' } })
}

/** The one envelope of every failure. */
export function envelope(error: ApiError, requestId: string): string {
  const { code, message, details } = error
  return JSON.stringify({ error: { code, message, requestId, ...(details === undefined ? {} : { details }) } })
}

export function sendError(reply: FastifyReply, error: ApiError, requestId: string, headers: Headers): FastifyReply {
  return reply
    .code(error.status)
    .headers({ 'x-request-id': requestId, 'content-type': JSON_TYPE, ...headers, ...error.headers })
    .send(envelope(error, requestId))
}

/** Answers past the framework's reply, whose bookkeeping would cost a successful request a tenth of its time. */
export function sendText(reply: FastifyReply, status: number, text: string, headers: Record<string, string>): void {
  const length = Buffer.byteLength(text)
  headers['content-type'] = JSON_TYPE
  headers['content-length'] = `${length}`
  reply.hijack()
  // Where every character is one byte both encodings write the same bytes, and this one without looking at each.
  reply.raw.writeHead(status, headers).end(text, length === text.length ? 'latin1' : 'utf8')
}

/** The framework looks at the content type before anybody else does, and wants one wherever the method is QUERY. */
const contentTypeRefusals = new Set(['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'])

/** What was thrown, as what may be said about it. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (contentTypeRefusals.has((error as FastifyError | undefined)?.code ?? '')) {
    return invalid([{ path: 'content-type', message: 'must be application/json' }])
  }
  return new ApiError('internal_error', 'Something went wrong on our side; it is safe to try again', { cause: error })
}
