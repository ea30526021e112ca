import type { FastifyRequest } from 'fastify'
import { callerIn, membershipsOf } from '../../accounts/members/queries.ts'
import { saveLastSeen, sessionWithToken } from '../../accounts/sessions/queries.ts'
import type { Client, SignedInUser } from '../../contract/app-operation.ts'
import { ApiError, notFound } from '../../contract/errors.ts'
import { isAtLeast, type Permission } from '../../contract/permissions.ts'
import type { Clock } from '../../lib/clock.ts'
import type { FixedWindowLimiter } from '../../lib/fixed-window-limiter.ts'
import type { Log } from '../../lib/log.ts'
import type { Sealer } from '../../lib/seal.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { reason } from '../../reasons/reason.ts'
import type { Database, UserCaller } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { clientAddress } from '../api/client-address.ts'
import { rateLimited } from '../api/respond.ts'
import { sessionToken } from './cookie.ts'
import { knownBrowsersOf } from './known-browser.ts'
import { requireSameOrigin } from './same-origin.ts'

/** Requests per minute of a session, about ten times what the dashboard makes in heavy use. */
const PER_SESSION = 1_200
/** Requests per minute of a client without a session. */
const PER_ADDRESS = 300

export interface SessionDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /**
   * Counts in memory, on each node by itself: enough to stop a faulty client. Limits that protect accounts are counted in the
   * database (accounts/sessions/attempt-limits.ts).
   */
  readonly limiter: FixedWindowLimiter
  readonly baseUrl: () => string
}

/** Names the organization of a request by id or slug. */
const ORGANIZATION_HEADER = 'x-pharos-organization'

/** The user of the session cookie; undefined without one. Rejects cross-site requests and counts the rate limit. */
export async function authenticateSession(
  { database, clock, log, limiter, baseUrl }: SessionDependencies,
  request: FastifyRequest,
): Promise<SignedInUser | undefined> {
  requireSameOrigin(request, baseUrl())
  const now = clock.now()
  const address = clientAddress(request)
  const token = sessionToken(request, baseUrl())
  const session = token === undefined ? undefined : await database.read(sessionWithToken(token, now))
  const waitMs =
    session === undefined
      ? limiter.count(address, PER_ADDRESS, now)
      : limiter.count(session.sessionId, PER_SESSION, now)
  if (waitMs > 0) throw rateLimited({ resetsInMs: waitMs })
  if (session === undefined) return undefined
  const { isStale, ...signedIn } = session
  if (isStale) {
    database
      .write(() => saveLastSeen(signedIn.sessionId, address, now))
      .catch(tolerate(log, 'saving the last use of a session'))
  }
  return signedIn
}

export function requireSignedIn(signedIn: SignedInUser | undefined): SignedInUser {
  if (signedIn === undefined) throw new ApiError('unauthorized', reason('sign_in_first'))
  return signedIn
}

/** The user as a member of the organization. Throws 404 for other organizations, 403 without the role. */
export async function requireMember(
  { database }: Pick<SessionDependencies, 'database'>,
  signedIn: SignedInUser,
  organization: string | undefined,
  role: Exclude<Permission, 'ANYONE' | 'USER'>,
): Promise<UserCaller> {
  const caller = await database.read(memberOf(signedIn, organization))
  if (isAtLeast(caller.role, role)) return caller
  throw new ApiError('forbidden', reason('role_needed', { needed: role, own: caller.role }))
}

function* memberOf(signedIn: SignedInUser, organization: string | undefined): DbWork<UserCaller> {
  const caller = yield* callerIn(signedIn, organization ?? (yield* onlyOrganization(signedIn)))
  // The same error for another tenant's organization and for one that does not exist.
  if (caller === undefined) throw notFound('organization')
  return caller
}

/** Users of one organization need not name it. */
function* onlyOrganization({ userId }: SignedInUser): DbWork<string> {
  const [first, second] = yield* membershipsOf(userId)
  if (first === undefined) throw new ApiError('forbidden', 'You belong to no organization')
  if (second === undefined) return first.id
  const details = [{ path: ORGANIZATION_HEADER, message: 'is required, since you belong to several organizations' }]
  throw new ApiError('validation_error', `${ORGANIZATION_HEADER} is required`, { details })
}

export function organizationFromHeader(request: FastifyRequest): string | undefined {
  const value = request.headers[ORGANIZATION_HEADER]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** EventSource and frames cannot send headers, so they name the organization in the query. */
export function organizationFromQuery(request: FastifyRequest): string | undefined {
  const { organization } = request.query as { organization?: unknown }
  return typeof organization === 'string' && organization !== '' ? organization : organizationFromHeader(request)
}

export function clientOf(request: FastifyRequest, sealer: Sealer, baseUrl: string, now: number): Client {
  return {
    address: clientAddress(request),
    userAgent: request.headers['user-agent'] ?? null,
    knownBrowsers: () => knownBrowsersOf(request, sealer, baseUrl, now),
  }
}
