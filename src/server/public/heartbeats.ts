import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import { hashToken } from '../../lib/tokens.ts'
import { type HeartbeatAddress, isHeartbeatAddress } from '../../monitoring/checks/claim.ts'
import { type Heartbeat, parseSignal, recordHeartbeat } from '../../monitoring/checks/heartbeat.ts'
import type { Database } from '../../storage/database.ts'
import { clientAddress } from '../api/client-address.ts'
import { rateLimited, sendError } from '../api/respond.ts'
import { LookupLimits } from './lookup-limits.ts'

/** The first part of the body is stored, the rest is discarded. */
const KEPT_BODY_BYTES = 10 * 1024
const MAX_RUN_ID_LENGTH = 100

export interface HeartbeatParts {
  readonly database: Database
  readonly clock: Clock
  readonly installation: Installation
}

/** Heartbeat URLs of CRON monitors (GET, HEAD, POST): /heartbeat/TOKEN, optionally followed by /start, /fail, /log or an exit code. */
export async function heartbeatRoutes(app: FastifyInstance, parts: HeartbeatParts): Promise<void> {
  acceptAnyBody(app)
  const receive = createReceiver(parts)
  for (const url of ['/heartbeat/:token', '/heartbeat/:token/:signal']) {
    app.route({
      method: ['GET', 'POST'],
      url,
      handler: async (request, reply) => {
        const { token, signal: word } = request.params as { token: string; signal?: string }
        const refuse = (error: ApiError) => sendError(reply, error, request.id, {})
        const signal = parseSignal(word)
        if (signal === undefined) {
          return refuse(
            new ApiError('not_found', 'A heartbeat is reported by /start, /fail, /log or an exit code from 0 to 255'),
          )
        }
        const address = { kind: 'heartbeat', hash: hashToken(token) } as const
        const refusal = await receive(request, address, { signal, rid: runIdOf(request), body: textOf(request.body) })
        if (refusal !== undefined) return refuse(refusal)
        return reply.type('text/plain; charset=utf-8').send('OK\n')
      },
    })
  }
}

/** Accepts any content type as text, and any length: the signal counts even if its output is long. */
export function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, body: IncomingMessage) => {
    const limits = { maxBytes: KEPT_BODY_BYTES, readsAll: true }
    return (await app.requestBodies.receive(body, clientAddress(request), limits)).bytes
  })
}

/** Records a signal. Returns why it is refused: no monitor has the address (404), or there are too many signals (429). */
type Receiver = (
  request: FastifyRequest,
  address: HeartbeatAddress,
  heartbeat: Heartbeat,
) => Promise<ApiError | undefined>

export function createReceiver({ database, clock, installation }: HeartbeatParts): Receiver {
  const limits = new LookupLimits()
  const anonymous = database.forRequests('half')
  return async (request, address, heartbeat) => {
    const now = clock.now()
    const exists = () => anonymous.read(isHeartbeatAddress(address))
    const { isKnown, waitMs } = await limits.lookUp(address.hash, clientAddress(request), now, exists)
    if (waitMs > 0) return rateLimited({ resetsInMs: waitMs })
    if (isKnown) {
      if (await database.write(() => recordHeartbeat(address, heartbeat, now, installation.baseUrl))) return undefined
      limits.forget(address.hash)
    }
    return new ApiError('not_found', 'No such heartbeat address')
  }
}

/** The run id, which pairs a start with its end. */
export function runIdOf({ query }: FastifyRequest): string | null {
  const { rid } = query as { rid?: unknown }
  return typeof rid === 'string' && rid !== '' ? rid.slice(0, MAX_RUN_ID_LENGTH) : null
}

export function textOf(body: unknown): string | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null
  // PostgreSQL cannot store NUL in text. A character cut at the end becomes a replacement character.
  return body.toString('utf8').replaceAll('\0', '\ufffd')
}
