import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseSignal, recordHeartbeat } from '../../monitoring/checks/heartbeat.ts'
import type { Database } from '../../storage/database.ts'
import { clientAddress } from '../api/client-address.ts'
import { sendError } from '../api/respond.ts'

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
    const wanted = { maxBytes: KEPT_BODY_BYTES, readsAll: true }
    return (await app.requestBodies.receive(body, clientAddress(request), wanted)).bytes
  })
  for (const url of ['/heartbeat/:token', '/heartbeat/:token/:signal']) {
    app.route({ method: ['GET', 'POST'], url, handler: (request, reply) => receiveHeartbeat(parts, request, reply) })
  }
}

async function receiveHeartbeat(
  parts: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { database, clock, installation } = parts
  const { token, signal: word } = request.params as { token: string; signal?: string }
  const { rid } = request.query as { rid?: unknown }
  const signal = parseSignal(word)
  const refuse = (message: string) => sendError(reply, new ApiError('not_found', message), request.id, {})
  if (signal === undefined)
    return refuse('A heartbeat is reported by /start, /fail, /log or an exit code from 0 to 255')
  const beat = {
    signal,
    rid: typeof rid === 'string' && rid !== '' ? rid.slice(0, MAX_RUN_ID_LENGTH) : null,
    body: textOf(request.body),
  }
  const known = await database.write(() => recordHeartbeat(token, beat, clock.now(), installation.baseUrl))
  return known ? reply.type('text/plain; charset=utf-8').send('OK\n') : refuse('No such heartbeat address')
}

function textOf(body: unknown): string | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null
  // PostgreSQL cannot store NUL in text. A character cut at the end becomes a replacement character.
  return body.toString('utf8').replaceAll('\0', '\ufffd')
}
