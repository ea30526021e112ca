import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LegacyAddress } from '../../contract/check-options.ts'
import type { ApiError } from '../../contract/errors.ts'
import { parseSignal } from '../../monitoring/checks/heartbeat.ts'
import { legacyHash } from '../../monitoring/monitor-options/legacy-address.ts'
import { boundedText } from '../../monitoring/monitor-types/bounded-text.ts'
import { sendError } from '../api/respond.ts'
import { acceptAnyBody, createReceiver, type HeartbeatParts, runIdOf, textOf } from './heartbeats.ts'

/** The addresses at which jobs reported to other tools, with the answers of these tools. A monitor has one by its option `legacyAddress`. */
export async function legacyAddressRoutes(app: FastifyInstance, parts: HeartbeatParts): Promise<void> {
  acceptAnyBody(app)
  const record = createReceiver(parts)
  const receive = (request: FastifyRequest, address: LegacyAddress, heartbeat: Parameters<typeof record>[2]) =>
    record(request, { kind: 'legacy', hash: legacyHash(address) }, heartbeat)

  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/api/push/:token',
    handler: async (request, reply) => {
      const { token } = request.params as { token: string }
      const { status = 'up', msg, ping } = textsIn(request.query)
      const isUp = status === 'up'
      const refusal = await receive(
        request,
        { tool: 'KUMA', token },
        { signal: { kind: isUp ? 'success' : 'fail' }, rid: null, body: msg ?? null, ...given(ping, isUp ? '' : msg) },
      )
      if (refusal === undefined) return reply.send({ ok: true })
      return reply
        .code(refusal.status)
        .headers(refusal.headers ?? {})
        .send({ ok: false, msg: refusal.code === 'not_found' ? 'Monitor not found or not active.' : refusal.message })
    },
  })

  for (const url of ['/ping/:first', '/ping/:first/:second', '/ping/:first/:second/:third']) {
    app.route({
      method: ['GET', 'POST'],
      url,
      handler: async (request, reply) => {
        const { token, word } = pingOf(request.params as PingPath)
        const signal = parseSignal(word)
        if (token === undefined || signal === undefined) return text(reply, 404, 'not found')
        const beat = { signal, rid: runIdOf(request), body: textOf(request.body) }
        const refusal = await receive(request, { tool: 'HEALTHCHECKS', token }, beat)
        return refusal === undefined ? text(reply, 200, 'OK') : refuse(request, reply, refusal, 'not found')
      },
    })
  }

  app.post('/api/v1/endpoints/:key/external', async (request, reply) => {
    const { key } = request.params as { key: string }
    const { success, error, duration } = textsIn(request.query)
    const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (bearer === undefined) return text(reply, 401, 'invalid Authorization header')
    if (success !== 'true' && success !== 'false') return text(reply, 400, 'invalid success value')
    const isUp = success === 'true'
    const refusal = await receive(
      request,
      { tool: 'GATUS', token: key, bearer },
      {
        signal: { kind: isUp ? 'success' : 'fail' },
        rid: null,
        body: error ?? null,
        ...given(goDurationMs(duration), isUp ? '' : error),
      },
    )
    // Whether the key or the token is wrong is not known: they are looked up together.
    return refusal === undefined ? text(reply, 200, '') : refuse(request, reply, refusal, 'invalid token', 401)
  })
}

function text(reply: FastifyReply, status: number, content: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(content)
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: ApiError, unknown: string, status = 404) {
  return error.code === 'not_found' ? text(reply, status, unknown) : sendError(reply, error, request.id, {})
}

/** Parameters that are given once, without NUL, which PostgreSQL cannot store. */
function textsIn(query: unknown): Readonly<Record<string, string | undefined>> {
  const texts = Object.entries(query as object).filter(([, value]) => typeof value === 'string' && value !== '')
  return Object.fromEntries(texts.map(([name, value]) => [name, value.replaceAll('\0', '\ufffd')]))
}

/** What a job reports of its run, if it is valid. */
function given(durationMs: string | number | undefined, error: string | undefined) {
  const ms = Math.round(Number(durationMs))
  return {
    ...(ms >= 0 && ms <= MAX_DURATION_MS && { durationMs: ms }),
    ...(error !== undefined && error !== '' && { error: boundedText(error) }),
  }
}

const MAX_DURATION_MS = 30 * 24 * 3_600_000

interface PingPath {
  readonly first: string
  readonly second?: string
  readonly third?: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** /UUID, or /KEY/SLUG; each may be followed by a signal. */
function pingOf({ first, second, third }: PingPath): { readonly token?: string; readonly word?: string | undefined } {
  if (uuid.test(first)) return third === undefined ? { token: first, word: second } : {}
  return second === undefined ? {} : { token: `${first}/${second}`, word: third }
}

const msPerUnit: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
}

/** A duration as Go writes it: `1m30s`, `250ms`. */
function goDurationMs(given: string | undefined): number | undefined {
  if (given === undefined || !/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(given)) return undefined
  const parts = given.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (msPerUnit[unit as string] as number), 0)
}
