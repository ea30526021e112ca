import type { FastifyRequest } from 'fastify'
import { callerIn, membershipsOf } from '../../accounts/members/queries.ts'
import { saveLastSeen, sessionWithToken } from '../../accounts/sessions/queries.ts'
import type { Client, SignedInUser } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { isAtLeast, type Permission } from '../../contract/permissions.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { Database, UserCaller } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { addressOf } from '../api/routes.ts'
import { sessionToken } from './cookie.ts'
import { type Meter, PER_ADDRESS, PER_SESSION } from './meter.ts'
import { requireSameOrigin } from './same-origin.ts'

export interface Door {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
  readonly baseUrl: () => string
}

/** The header that names the organization a request is for, by id or slug. */
export const ORGANIZATION_HEADER = 'x-pharos-organization'

/** Finds the session of a request, if it has one, and counts it; refuses what another site made a browser send. */
export function admitVisitor(door: Door, request: FastifyRequest): Soon<SignedInUser | undefined> {
  const { database, clock, meter } = door
  requireSameOrigin(request, door.baseUrl())
  const now = clock.now()
  const token = sessionToken(request, door.baseUrl())
  const count = (session: (SignedInUser & { isStale: boolean }) | undefined): SignedInUser | undefined => {
    const waitMs =
      session === undefined
        ? meter.spend(addressOf(request), PER_ADDRESS, now)
        : meter.spend(session.sessionId, PER_SESSION, now)
    if (waitMs > 0) throw tooFast(waitMs)
    if (session === undefined) return undefined
    const { isStale, ...signedIn } = session
    if (isStale) note(door, signedIn, addressOf(request), now)
    return signedIn
  }
  return token === undefined ? count(undefined) : whenReady(database.read(sessionWithToken(token, now)), count)
}

/** Nobody waits for it, and it does no harm if it is not noted: the next request notes it. */
function note({ database, log }: Door, { sessionId }: SignedInUser, address: string, now: number): void {
  database.write(() => saveLastSeen(sessionId, address, now)).catch(tolerate(log, 'noting when a session was used'))
}

function tooFast(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ApiError('rate_limited', `Too many requests; try again in ${seconds} s`, {
    headers: { 'retry-after': `${seconds}` },
  })
}

export function requireSignedIn(signedIn: SignedInUser | undefined): SignedInUser {
  if (signedIn === undefined) throw new ApiError('unauthorized', 'Sign in first')
  return signedIn
}

/** Who asks, in the organization that the request is for; refuses whoever may not. */
export function requireMember(
  { database }: Pick<Door, 'database'>,
  signedIn: SignedInUser,
  named: string | undefined,
  who: Exclude<Permission, 'ANYONE' | 'USER'>,
): Soon<UserCaller> {
  return whenReady(database.read(memberOf(signedIn, named)), (caller) => {
    if (isAtLeast(caller.role, who)) return caller
    throw new ApiError('forbidden', `This takes the role ${who} or more; yours is ${caller.role}`)
  })
}

function* memberOf(signedIn: SignedInUser, named: string | undefined): DbWork<UserCaller> {
  const caller = yield* callerIn(signedIn, named ?? (yield* onlyOne(signedIn)))
  // The same for an organization of others and for one that never was.
  if (caller === undefined) throw new ApiError('not_found', 'No such organization')
  return caller
}

/** Which one is meant is only clear to whoever belongs to one. */
function* onlyOne({ userId }: SignedInUser): DbWork<string> {
  const [first, second] = yield* membershipsOf(userId)
  if (first === undefined) throw new ApiError('forbidden', 'You belong to no organization')
  if (second === undefined) return first.id
  const details = [{ path: ORGANIZATION_HEADER, message: 'is required, since you belong to several organizations' }]
  throw new ApiError('validation_error', `${ORGANIZATION_HEADER} is required`, { details })
}

export function organizationNamed(request: FastifyRequest): string | undefined {
  const named = request.headers[ORGANIZATION_HEADER]
  return typeof named === 'string' && named !== '' ? named : undefined
}

/** For what a browser asks for without headers of ours, a stream or a frame: there the organization may stand in the query. */
export function organizationAsked(request: FastifyRequest): string | undefined {
  const { organization } = request.query as { organization?: unknown }
  return typeof organization === 'string' && organization !== '' ? organization : organizationNamed(request)
}

export function clientOf(request: FastifyRequest): Client {
  return { address: addressOf(request), userAgent: request.headers['user-agent'] ?? null }
}
