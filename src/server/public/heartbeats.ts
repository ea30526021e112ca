import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import { hashToken } from '../../lib/tokens.ts'
import { parseSignal, recordHeartbeat } from '../../monitoring/checks/heartbeat.ts'
import type { Database } from '../../storage/database.ts'
import { clientAddress } from '../api/client-address.ts'
import { rateLimited, sendError } from '../api/respond.ts'
import { LookupLimits } from './lookup-limits.ts'

/** The first part of the body is stored, the rest is discarded. */
const KEPT_BODY_BYTES = 10 * 1024
const MAX_RUN_ID_LENGTH = 100

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
  readonly installation: Installation
}

/** Heartbeat URLs of CRON monitors (GET, HEAD, POST): /heartbeat/TOKEN, optionally followed by /start, /fail, /log or an exit code. */
export async function heartbeatRoutes(app: FastifyInstance, parts: Dependencies): Promise<void> {
  app.removeAllContentTypeParsers()
  // Accepts any content type as text, and any length: the signal counts even if its output is long.
  app.addContentTypeParser('*', async (request: FastifyRequest, body: IncomingMessage) => {
    const limits = { maxBytes: KEPT_BODY_BYTES, readsAll: true }
    return (await app.requestBodies.receive(body, clientAddress(request), limits)).bytes
  })
  const limits = new LookupLimits()
  for (const url of ['/heartbeat/:token', '/heartbeat/:token/:signal']) {
    app.route({
      method: ['GET', 'POST'],
      url,
      handler: (request, reply) => receive({ ...parts, limits }, request, reply),
    })
  }
}

async function receive(
  { database, clock, installation, limits }: Dependencies & { readonly limits: LookupLimits },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token, signal: word } = request.params as { token: string; signal?: string }
  const { rid } = request.query as { rid?: unknown }
  const signal = parseSignal(word)
  const refuse = (error: ApiError) => sendError(reply, error, request.id, {})
  if (signal === undefined) {
    return refuse(
      new ApiError('not_found', 'A heartbeat is reported by /start, /fail, /log or an exit code from 0 to 255'),
    )
  }
  const beat = {
    signal,
    rid: typeof rid === 'string' && rid !== '' ? rid.slice(0, MAX_RUN_ID_LENGTH) : null,
    body: textOf(request.body),
  }
  const [hash, address, now] = [hashToken(token), clientAddress(request), clock.now()]
  const waitMs = limits.waitMs(hash, address, now)
  if (waitMs > 0) return refuse(rateLimited({ resetsInMs: waitMs }))
  const isKnown = await database.write(() => recordHeartbeat(hash, beat, now, installation.baseUrl))
  limits.found(isKnown, hash, address, now)
  if (!isKnown) return refuse(new ApiError('not_found', 'No such heartbeat address'))
  return reply.type('text/plain; charset=utf-8').send('OK\n')
}

function textOf(body: unknown): string | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null
  // PostgreSQL cannot store NUL in text. A character cut at the end becomes a replacement character.
  return body.toString('utf8').replaceAll('\0', '\ufffd')
}
