import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import { receive, signalOf } from '../../monitoring/checks/heartbeat.ts'
import type { Database } from '../../storage/database.ts'
import { sendError } from '../api/respond.ts'

/** The part of a body that is kept; the rest is read and dropped. */
const KEPT_BODY_BYTES = 10 * 1024
const LONGEST_RID = 100

interface Parts {
  readonly database: Database
  readonly clock: Clock
  readonly installation: Installation
}

/** The addresses that jobs report on, by GET, HEAD or POST: /heartbeat/TOKEN, and /start, /fail, /log or an exit code behind it. */
export async function heartbeatRoutes(app: FastifyInstance, parts: Parts): Promise<void> {
  app.removeAllContentTypeParsers()
  // Whatever a job sends, of whatever type, is text to keep.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 1024 * 1024 }, (_request, body, done) =>
    done(null, body),
  )
  for (const url of ['/heartbeat/:token', '/heartbeat/:token/:signal']) {
    app.route({ method: ['GET', 'POST'], url, handler: (request, reply) => take(parts, request, reply) })
  }
}

async function take(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { database, clock, installation } = parts
  const { token, signal: word } = request.params as { token: string; signal?: string }
  const { rid } = request.query as { rid?: unknown }
  const signal = signalOf(word)
  const refuse = (message: string) => sendError(reply, new ApiError('not_found', message), request.id, {})
  if (signal === undefined)
    return refuse('A heartbeat is reported by /start, /fail, /log or an exit code from 0 to 255')
  const beat = {
    signal,
    rid: typeof rid === 'string' && rid !== '' ? rid.slice(0, LONGEST_RID) : null,
    body: textOf(request.body),
  }
  const known = await database.write(() => receive(token, beat, clock.now(), installation.baseUrl))
  return known ? reply.type('text/plain; charset=utf-8').send('OK\n') : refuse('No such heartbeat address')
}

function textOf(body: unknown): string | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null
  // NUL cannot be stored as text, and what is cut in the middle of a character ends with a replacement.
  return body.subarray(0, KEPT_BODY_BYTES).toString('utf8').replaceAll('\0', '\ufffd')
}
