import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccountSettings, AppOperation, SignedInUser } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { roleFor, type Permission } from '../../contract/permissions.ts'
import { PasswordQueueFull } from '../../lib/passwords.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import type { UserCaller } from '../../storage/database.ts'
import { type Role, roles } from '../../storage/schema-accounts.ts'
import { idempotencyKeyOf } from '../api/idempotency.ts'
import { inputReader } from '../api/input.ts'
import { type Performed, perform } from '../api/perform.ts'
import { sendText } from '../api/respond.ts'
import { type ApiOptions, failWith, requirePath, secondsSince, settle } from '../api/routes.ts'
import { admitVisitor, clientOf, type Door, organizationNamed, requireMember, requireSignedIn } from './session.ts'
import { isSecure, sessionCookie } from './cookie.ts'
import { BEAT_MS, eventRoute } from './events.ts'
import { Meter } from './meter.ts'
import { oidcRoutes } from './oidc.ts'
import { previewRoute } from './preview.ts'

export const APP_PREFIX = '/app/api'

export interface DashboardOptions extends ApiOptions {
  readonly appOperations: readonly AppOperation[]
  readonly accounts: AccountSettings
  /** How often streams of events say that they are alive. */
  readonly beatMs?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    signedIn: SignedInUser | undefined
    member: UserCaller | undefined
  }
}

/**
 * What the dashboard asks: the operations of the public API under /app/api/v1, and its own. A session stands in for the key;
 * from there on both go the same way. Judged in this order: origin, session and its rate, path and method, role in the
 * organization, then as in the public API.
 */
export async function dashboardRoutes(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const { installation, operations, appOperations } = options
  const door: Door = { ...options, meter: new Meter(), baseUrl: () => installation.baseUrl }
  const known = { operations: [...appOperations, ...operations.map(underVersion)] }
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('idempotencyKey', undefined)
  app.decorateRequest('signedIn', undefined)
  app.decorateRequest('member', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = performance.now()
    settle(
      () =>
        whenReady(admitVisitor(door, request), (signedIn) => {
          request.signedIn = signedIn
          requirePath(known, request, APP_PREFIX)
        }),
      done,
    )
  })
  app.setNotFoundHandler((request) => requirePath(known, request, APP_PREFIX))
  app.setErrorHandler((error, request, reply) => {
    return failWith(options, nameable(error), request, reply, { 'cache-control': 'no-store' })
  })
  eventRoute(app, door, options.beatMs ?? BEAT_MS)
  oidcRoutes(app, { ...options, ...door })
  previewRoute(app, door, options)
  for (const operation of appOperations) route(app, operation, operation.permission, door, options)
  for (const operation of operations) route(app, underVersion(operation), roleFor[operation.access], door, options)
}

function underVersion(operation: Operation): Operation {
  return { ...operation, path: `/v1${operation.path}` }
}

function nameable(error: unknown): unknown {
  if (!(error instanceof PasswordQueueFull)) return error
  return new ApiError('rate_limited', 'Too many people are signing in; try again in 2 s', {
    cause: error,
    headers: { 'retry-after': '2' },
  })
}

function route(app: FastifyInstance, operation: Operation, who: Permission, door: Door, options: DashboardOptions): void {
  const { clock, installation, accounts } = options
  const readInput = inputReader(operation, installation, { timeoutMs: options.bodyTimeoutMs })
  app.route({
    method: operation.method,
    url: operation.path,
    config: { operation },
    onRequest: (request, _reply, done) => settle(() => permit(operation, who, door, request), done),
    handler: (request, reply) => {
      const performed = whenReady(readInput(request), (input) => {
        const { signedIn, member: caller, id: requestId } = request
        const visit = {
          signedIn,
          caller,
          client: clientOf(request),
          accounts,
          requestId,
          now: clock.now(),
          installation,
        }
        return perform(options, operation, visit as never, input, request.idempotencyKey)
      })
      return whenReady(performed, (answer) => respond(operation, answer, options, request, reply))
    },
  })
}

/** Refuses whoever may not do it, before the input is looked at. */
function permit(operation: Operation, who: Permission, door: Door, request: FastifyRequest): Soon<void> {
  if (who === 'ANYONE') return
  const signedIn = requireSignedIn(request.signedIn)
  if (!isRole(who)) return
  return whenReady(requireMember(door, signedIn, organizationNamed(request), who), (caller) => {
    request.member = caller
    if (operation.access === 'write') request.idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
  })
}

function isRole(who: Permission): who is Role {
  return (roles as readonly string[]).includes(who)
}

function respond(
  operation: Operation,
  { status, text, replayed, session, afterwards }: Performed,
  { metrics, installation, changed }: DashboardOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const headers: Record<string, string> = { 'x-request-id': request.id, 'cache-control': 'no-store' }
  if (replayed) headers['idempotency-replayed'] = 'true'
  if (session !== undefined) headers['set-cookie'] = sessionCookie(session, isSecure(request, installation.baseUrl))
  sendText(reply, status, text, headers)
  afterwards?.()
  if (operation.access === 'write' && request.member !== undefined) changed(request.member.orgId)
  metrics.requests.observe(`app.${operation.id}`, status, secondsSince(request.startedAt))
}
