import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../../lib/log.ts'
import type { RateLimit } from '../../storage/database.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { ClientGone } from './request-bodies.ts'
import { apiHeaders, asApiError, type Headers, sendError } from './respond.ts'

interface Reporting {
  readonly log: Log
  readonly metrics: Metrics
}

/** The headers of every response of the public API. If the database is unavailable, they show the full quota. */
export function standardHeaders(rateLimit: RateLimit, request: FastifyRequest): Record<string, string> {
  const counted = request.counted ?? { used: 0, resetsInMs: rateLimit.windowMs }
  return Object.assign(apiHeaders(rateLimit, counted, request.id), request.served?.deprecation)
}

/** Sends an error with the headers of the public API. */
export function fail(
  options: Reporting & { readonly rateLimit: RateLimit },
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return failWith(options, thrown, request, reply, standardHeaders(options.rateLimit, request))
}

/** Sends an error. The cause of an internal error is logged and not sent. */
export function failWith(
  { log, metrics }: Reporting,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Headers,
  isForDashboard = false,
): FastifyReply {
  if (thrown instanceof ClientGone) return reply.hijack()
  const error = asApiError(thrown)
  const operation = request.served?.operation
  if (error.code === 'internal_error') {
    metrics.internalErrors.inc()
    log.error(
      {
        err: error.cause,
        requestId: request.id,
        method: request.method,
        url: operation?.path ?? request.routeOptions.url,
      },
      'request failed',
    )
  }
  metrics.requestDone(operation?.id ?? 'other', error.status, request.startedAt ?? performance.now())
  return sendError(reply, error, request.id, headers, isForDashboard)
}
