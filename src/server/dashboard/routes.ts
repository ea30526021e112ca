import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccountSettings, AppOperation, SignedInUser } from '../../contract/app-operation.ts'
import type { Operation } from '../../contract/operation.ts'
import { type Permission, roleOf } from '../../contract/permissions.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import { FixedWindowLimiter } from '../../lib/fixed-window-limiter.ts'
import type { UserCaller } from '../../storage/database.ts'
import { type Role, roles } from '../../storage/schema/accounts.ts'
import { inDocumentTurn } from '../api/document-turn.ts'
import { failWith } from '../api/fail.ts'
import { idempotencyKeyOf } from '../api/idempotency.ts'
import { type DocumentTurn, inputReader } from '../api/input.ts'
import { sendText } from '../api/respond.ts'
import type { ApiOptions } from '../api/routes.ts'
import { type OperationResult, runOperation } from '../api/run-operation.ts'
import { sendList } from '../api/send-compressed.ts'
import { type ServedOperation, serveOperations } from '../api/serve-operations.ts'
import { isSecure, sessionCookie } from './cookie.ts'
import { BEAT_MS, eventRoute } from './events.ts'
import { exportRoute } from './export.ts'
import { knownBrowserCookie } from './known-browser.ts'
import { oidcRoutes } from './oidc.ts'
import { previewRoute } from './preview.ts'
import {
  authenticateSession,
  clientOf,
  organizationFromHeader,
  requireMember,
  requireSignedIn,
  type SessionDependencies,
} from './session.ts'

export const APP_PREFIX = '/app/api'

export interface DashboardOptions extends ApiOptions {
  readonly appOperations: readonly AppOperation[]
  readonly accounts: AccountSettings
  /** Whether status pages name Pharos in their footer. */
  readonly poweredBy: boolean
  /** Interval of keep-alive comments in event streams. */
  readonly beatMs?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    signedIn: SignedInUser | undefined
    member: UserCaller | undefined
  }
}

/**
 * The dashboard's API: the operations of the public API under /app/api/v1, and its own. A session replaces the API key.
 * Requests are checked in this order: origin, session and rate limit, path and method, role in the organization, then as in
 * the public API.
 */
export async function dashboardRoutes(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const { installation, appOperations } = options
  const session: SessionDependencies = {
    ...options,
    limiter: new FixedWindowLimiter(MINUTE_MS),
    baseUrl: () => installation.baseUrl,
  }
  const publicOperations = options.operations.map((operation) => ({
    ...operation,
    path: `/v1${operation.path}` as const,
  }))
  // Attempts to sign in wait for each other's rows, each with a connection.
  const anonymous = { ...options, database: options.database.forRequests('half') }
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('idempotencyKey', undefined)
  app.decorateRequest('signedIn', undefined)
  app.decorateRequest('member', undefined)
  app.setErrorHandler((error, request, reply) => {
    return failWith(options, error, request, reply, { 'cache-control': 'no-store' }, true)
  })
  const served = [
    ...appOperations.map((operation) => {
      const { permission } = operation
      return serve(app, operation, permission, session, permission === 'ANYONE' ? anonymous : options)
    }),
    ...publicOperations.map((operation) => serve(app, operation, roleOf(operation), session, options)),
  ]
  serveOperations(app, APP_PREFIX, served, async (request) => {
    request.startedAt = performance.now()
    request.signedIn = await authenticateSession(session, request)
  })
  eventRoute(app, session, options.beatMs ?? BEAT_MS)
  oidcRoutes(app, { ...options, ...session })
  previewRoute(app, session, options)
  exportRoute(app, session, options)
}

function serve(
  app: FastifyInstance,
  operation: Operation,
  permission: Permission,
  session: SessionDependencies,
  options: DashboardOptions,
): ServedOperation {
  const { clock, installation, accounts, sealer } = options
  const readInput = inputReader(operation, installation, options.bodyTimeoutMs)
  return {
    operation,
    check: (request) => requirePermission(operation, permission, session, request),
    handle: async (request, reply) => {
      const run = async (turn?: DocumentTurn): Promise<OperationResult> => {
        const input = await readInput(request, turn)
        // The body may have taken seconds to arrive, and the member may have been removed since.
        if (request.member !== undefined && request.method !== 'GET') {
          await requirePermission(operation, permission, session, request)
        }
        if (isList(operation)) await app.listTurns.enter(`${readerOf(request)} ${operation.id}`, reply.raw)
        const { signedIn, member: caller, id: requestId } = request
        const now = clock.now()
        const client = clientOf(request, sealer, installation.baseUrl, now)
        const context = { signedIn, caller, client, accounts, requestId, now, installation }
        return runOperation(options, operation, context as never, input, request.idempotencyKey)
      }
      const result = await inDocumentTurn(options.bulkTurns, operation, request.member, run)
      return respond(operation, result, options, request, reply)
    },
  }
}

/** Checks the session and the role before the input is read. */
async function requirePermission(
  operation: Operation,
  permission: Permission,
  session: SessionDependencies,
  request: FastifyRequest,
): Promise<void> {
  if (permission === 'ANYONE') return
  const signedIn = requireSignedIn(request.signedIn)
  if (!isRole(permission)) return
  request.member = await requireMember(session, signedIn, organizationFromHeader(request), permission)
  if (operation.access === 'write') request.idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
}

function isRole(permission: Permission): permission is Role {
  return (roles as readonly string[]).includes(permission)
}

function isList(operation: Operation): boolean {
  return operation.access === 'read' && (operation.query !== undefined || 'parts' in operation)
}

/** The organization, or the address of a client without one. */
function readerOf({ member, ip }: FastifyRequest): string {
  return member?.orgId ?? ip
}

async function respond(
  operation: Operation,
  { status, text, replayed, headers: own, session, signedInAs }: OperationResult,
  { metrics, installation, sealer, clock, onChange }: DashboardOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { baseUrl } = installation
  const headers: Record<string, string | string[]> = { 'x-request-id': request.id, 'cache-control': 'no-store', ...own }
  if (replayed) headers['idempotency-replayed'] = 'true'
  if (session !== undefined) {
    const known = signedInAs && knownBrowserCookie(request, sealer, baseUrl, signedInAs, clock.now())
    headers['set-cookie'] = [sessionCookie(session, isSecure(request, baseUrl)), ...(known ? [known] : [])]
  }
  if (isList(operation)) await sendList(reply, status, text, headers, readerOf(request))
  else sendText(reply, status, text, headers, readerOf(request))
  if (operation.access === 'write' && request.member !== undefined) onChange(request.member.orgId)
  metrics.requestDone(`app.${operation.id}`, status, request.startedAt)
  return reply
}
