import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Log } from '../../lib/log.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import type { CountedRequest, KeyCaller, RateLimit } from '../../storage/database.ts'
import type { KeyUse } from './key-usage.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { credentialsOf } from './credentials.ts'
import { deprecationHeaders } from './deprecation.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { inputReader } from './input.ts'
import { perform, type Stage } from './perform.ts'
import { ClientGone } from './request-body.ts'
import { asApiError, isOverQuota, rateHeaders, rateLimited, sendError, sendText, unauthorized } from './respond.ts'

export const API_PREFIX = '/api/v1'

export interface ApiOptions extends Stage {
  readonly operations: readonly Operation[]
  readonly rule: RateLimit
  readonly bodyTimeoutMs: number
  readonly keyUse: KeyUse
  readonly metrics: Metrics
  readonly log: Log
  /** Told of every change that was answered, and whose it is: there may be something to do. */
  readonly changed: (orgId: string) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    startedAt: number
    admission: CountedRequest | undefined
    idempotencyKey: string | undefined
  }
  interface FastifyContextConfig {
    operation?: Operation
    /** The headers of a deprecated operation. */
    notes?: Readonly<Record<string, string>>
  }
}

/**
 * The public API: every operation of the table, judged in the order of the contract. Request id, credentials and rate
 * limit come first, whether the path exists or not; then path and method, access, and the rest.
 */
export async function apiRoutes(api: FastifyInstance, options: ApiOptions): Promise<void> {
  api.decorateRequest('startedAt', 0)
  api.decorateRequest('admission', undefined)
  api.decorateRequest('idempotencyKey', undefined)
  api.addHook('onRequest', (request, _reply, done) => {
    settle(() => whenReady(admit(options, request), () => requirePath(options, request)), done)
  })
  // Refused above already, before the framework looks at the content type.
  api.setNotFoundHandler((request) => requirePath(options, request))
  api.setErrorHandler((error, request, reply) => fail(options, error, request, reply))
  for (const operation of options.operations) route(api, operation, options)
}

export function settle(judge: () => Soon<void>, done: (error?: Error) => void): void {
  try {
    const judged = judge()
    if (judged instanceof Promise) judged.then(() => done(), done)
    else done()
  } catch (error) {
    done(error as Error)
  }
}

/** Says who is calling and counts the request, or refuses it. */
export function admit({ database, rule, keyUse }: ApiOptions, request: FastifyRequest): Soon<void> {
  request.startedAt = performance.now()
  const credentials = credentialsOf(request.headers)
  const keyHash = 'keyHash' in credentials ? credentials.keyHash : undefined
  return whenReady(database.rateLimiter.countRequest(keyHash, addressOf(request)), (admission) => {
    request.admission = admission
    if (isOverQuota(rule, admission)) throw rateLimited(admission)
    keyUse.note(callerOf(admission, credentials).keyId)
    requireSound(request)
  })
}

/** What a change asks for besides a valid key. */
function permitChange(request: FastifyRequest): void {
  if (request.admission?.caller?.access !== 'full') throw new ApiError('forbidden', 'The API key is read-only')
  request.idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
}

function callerOf(admission: CountedRequest, credentials: ReturnType<typeof credentialsOf>): KeyCaller {
  if (admission.caller !== undefined) return admission.caller
  throw unauthorized('problem' in credentials ? credentials.problem : 'The API key is not valid')
}

/** Neighbours in one IPv6 network are one client: it costs nothing to have 2^64 addresses. */
export function addressOf({ ip }: { readonly ip: string }): string {
  if (!ip.includes(':') || isIP(ip) !== 6 || ip.startsWith('::ffff:')) return ip
  const network = ipaddr.IPv6.parse(ip).parts.slice(0, 4)
  return `${network.map((part) => part.toString(16)).join(':')}::/64`
}

/** Requests whose Expect header nobody here can meet. */
export const unmetExpectations = new WeakSet<IncomingMessage>()

function requireSound(request: FastifyRequest): void {
  if (unmetExpectations.has(request.raw)) {
    const details = [{ path: 'expect', message: 'must be 100-continue' }]
    throw new ApiError('validation_error', 'The expectation cannot be met', { details })
  }
  const message = hostFault(request.raw)
  if (message === undefined) return
  throw new ApiError('validation_error', 'A valid Host header is required', { details: [{ path: 'host', message }] })
}

function hostFault({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (host === undefined) return httpVersion === '1.1' ? 'is required' : undefined
  if (!/^[^\s/?#@\\]*$/.test(host)) return 'is not a valid host'
  let times = 0
  // Node keeps the first of several; whoever stands between the client and us may have kept the last.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') times += 1
  }
  return times > 1 ? 'must be given once' : undefined
}

function route(api: FastifyInstance, operation: Operation, options: ApiOptions): void {
  const { clock, installation, metrics } = options
  const readInput = inputReader(operation, installation, { timeoutMs: options.bodyTimeoutMs })
  // Made here and not with every answer: a notice that is too short must stop the start.
  const notes = operation.deprecated && deprecationHeaders(operation.deprecated)
  api.route({
    method: operation.method,
    url: operation.path,
    config: { operation, ...(notes && { notes }) },
    ...(operation.access === 'write' && {
      onRequest: (request, _reply, done) => settle(() => permitChange(request), done),
    }),
    handler: (request, reply) => {
      // Nobody gets here without a key that is valid.
      const caller = request.admission?.caller as KeyCaller
      const performed = whenReady(readInput(request), (input) => {
        const call = { caller, requestId: request.id, now: clock.now(), installation }
        return perform(options, operation, call, input, request.idempotencyKey)
      })
      return whenReady(performed, ({ status, text, replayed }) => {
        const headers = standardHeaders(options, request, notes)
        if (replayed) headers['idempotency-replayed'] = 'true'
        sendText(reply, status, text, headers)
        if (operation.access === 'write') options.changed(caller.orgId)
        metrics.requests.observe(operation.id, status, secondsSince(request.startedAt))
      })
    },
  })
}

/** The headers of every answer, success or error, and those of a deprecated operation. */
function standardHeaders(
  { rule }: Pick<ApiOptions, 'rule'>,
  request: FastifyRequest,
  notes: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  // Should the database be away, nobody can say how much is left; the headers stay, with the whole quota in them.
  const headers = rateHeaders(rule, request.admission ?? { used: 0, resetsInMs: rule.windowMs })
  headers['x-request-id'] = request.id
  return notes === undefined ? headers : Object.assign(headers, notes)
}

export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}

/** Refuses what no route matched: the path is unknown, or known for other methods. */
export function requirePath(
  { operations }: Pick<ApiOptions, 'operations'>,
  request: FastifyRequest,
  prefix = API_PREFIX,
): void {
  if (!request.is404) return
  const methods = methodsAt(operations, request.url, prefix)
  if (methods.length === 0) throw new ApiError('not_found', 'No such endpoint')
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  throw new ApiError('method_not_allowed', `${request.method} is not allowed here; ${allow} is`, { headers: { allow } })
}

function methodsAt(operations: readonly Operation[], url: string, prefix: string): string[] {
  const path = decodedPath(url)
  return operations
    .filter((operation) => path !== undefined && patternOf(operation, prefix).test(path))
    .map((operation) => operation.method)
}

function patternOf({ path }: Operation, prefix: string): RegExp {
  return new RegExp(`^${prefix}${path.replace(/:[^/]+/g, '[^/]+')}$`)
}

/** The path of an address as the router reads it; a request may also name the whole address, host included. */
function decodedPath(url: string): string | undefined {
  try {
    return decodeURI(url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1)[0] as string)
  } catch {
    return undefined
  }
}

type Reporting = Pick<ApiOptions, 'log' | 'metrics'>

/** Answers whatever was thrown, in the envelope, with the headers of the public API. */
export function fail(
  options: Reporting & Pick<ApiOptions, 'rule'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { notes } = request.routeOptions.config ?? {}
  return failWith(options, thrown, request, reply, standardHeaders(options, request, notes))
}

/** What was not meant for the caller is logged and kept from it. */
export function failWith(
  { log, metrics }: Reporting,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string>,
): FastifyReply {
  if (thrown instanceof ClientGone) return reply.hijack()
  const error = asApiError(thrown)
  if (error.code === 'internal_error') {
    metrics.internalErrors.inc()
    log.error(
      { err: error.cause, requestId: request.id, method: request.method, url: request.routeOptions.url },
      'a request failed',
    )
  }
  const { operation } = request.routeOptions.config ?? {}
  metrics.requests.observe(operation?.id ?? 'other', error.status, secondsSince(request.startedAt ?? performance.now()))
  return sendError(reply, error, request.id, headers)
}
