import { type Client, type OpenContext, type SignedInUser, WithSession } from '../../contract/app-operation.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { hashToken, newToken } from '../../lib/tokens.ts'
import { cacheable, type DbWork, execute, first, q } from '../../storage/query.ts'
import type { SessionTable } from '../../storage/schema/accounts.ts'
import { recordSignIn } from './known-networks.ts'

/** A session ends after this long without a request … */
const IDLE_TIMEOUT_MS = 7 * DAY_MS
/** … and at this age in any case. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS
/** `last_seen_at` is written at most this often. */
const LAST_SEEN_INTERVAL_MS = 5 * MINUTE_MS
/** Within this time of signing in, some changes need no password. */
const RECENT_SIGN_IN_MS = 10 * MINUTE_MS
/** Per user; a further sign-in ends the session that was used least recently. */
const MAX_SESSIONS = 50
const MAX_USER_AGENT_LENGTH = 300

/**
 * Always creates a new token, which prevents session fixation. Returns the token; only its hash is stored.
 */
export function* openSession(userId: string, client: Client, now: number): DbWork<string> {
  const surplus = q
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_SESSIONS)
    .offset(MAX_SESSIONS - 1)
  yield* execute(q.deleteFrom('sessions').where('id', 'in', surplus))
  const token = newToken()
  const session: SessionTable = {
    id: newId('ses', now),
    user_id: userId,
    hash: hashToken(token),
    address: client.address,
    user_agent: client.userAgent?.slice(0, MAX_USER_AGENT_LENGTH).replace(/\p{Cc}/gu, ' ') ?? null,
    created_at: now,
    last_seen_at: now,
    expires_at: now + SESSION_LIFETIME_MS,
  }
  yield* execute(q.insertInto('sessions').values(session))
  yield* recordSignIn(userId, client.address, now)
  return token
}

/** Ends the browser's session, if it has one, and opens a new one. */
export function* replaceSession(
  userId: string,
  { signedIn, client, now }: Pick<OpenContext, 'signedIn' | 'client' | 'now'>,
): DbWork<WithSession<{ userId: string }>> {
  if (signedIn !== undefined) yield* endSessionOf(signedIn.userId, signedIn.sessionId)
  return new WithSession({ userId }, yield* openSession(userId, client, now), userId)
}

export function* hasRecentSignIn({ sessionId }: SignedInUser, now: number): DbWork<boolean> {
  const [session] = yield* execute(q.selectFrom('sessions').select('created_at').where('id', '=', sessionId))
  return session !== undefined && session.created_at + RECENT_SIGN_IN_MS > now
}

const byHash = cacheable(({ hash }: { hash: string }) =>
  q
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id as sessionId', 'u.id as userId', 'u.email', 'u.name', 's.last_seen_at', 's.expires_at'])
    .where('s.hash', '=', hash),
)

/** Undefined if the session is unknown or has ended. `isStale`: `last_seen_at` is due to be written. */
export function* sessionWithToken(
  token: string,
  now: number,
): DbWork<(SignedInUser & { isStale: boolean }) | undefined> {
  const row = yield* first(byHash, { hash: hashToken(token) })
  if (row === undefined || row.expires_at <= now || row.last_seen_at + IDLE_TIMEOUT_MS <= now) return undefined
  const { sessionId, userId, email, name, last_seen_at: seenAt } = row
  return { sessionId, userId, email, name, isStale: now - seenAt >= LAST_SEEN_INTERVAL_MS }
}

export function* saveLastSeen(id: string, address: string, now: number): DbWork<void> {
  const seen = { last_seen_at: now, address }
  yield* execute(q.updateTable('sessions').set(seen).where('id', '=', id).where('last_seen_at', '<', now))
}

/** Replaces the session's token; the old one stops working. */
export function* rotateSession(id: string): DbWork<string> {
  const token = newToken()
  yield* execute(
    q
      .updateTable('sessions')
      .set({ hash: hashToken(token) })
      .where('id', '=', id),
  )
  return token
}

export function* endSessionOf(userId: string, id: string): DbWork<boolean> {
  const ended = yield* execute(
    q.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id).returning('id'),
  )
  return ended.length === 1
}

/** Ends all sessions of a user, optionally except one; returns how many. */
export function* endSessionsOf(userId: string, but = ''): DbWork<number> {
  const ended = yield* execute(
    q.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', but).returning('id'),
  )
  return ended.length
}

/** The user's active sessions, most recently used first. */
export function* sessionsOf(userId: string, now: number) {
  return yield* execute(
    q
      .selectFrom('sessions')
      .select(['id', 'address', 'user_agent', 'created_at', 'last_seen_at', 'expires_at'])
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .where('last_seen_at', '>', now - IDLE_TIMEOUT_MS)
      .orderBy('last_seen_at', 'desc')
      .orderBy('id', 'desc'),
  )
}

/** Deletes up to `limit` ended sessions; returns how many. */
export function* pruneSessions(now: number, limit: number): DbWork<number> {
  const ended = yield* execute(
    q
      .deleteFrom('sessions')
      .where(
        'id',
        'in',
        q
          .selectFrom('sessions')
          .select('id')
          .where((is) => is.or([is('expires_at', '<=', now), is('last_seen_at', '<=', now - IDLE_TIMEOUT_MS)]))
          .limit(limit),
      )
      .returning('id'),
  )
  return ended.length
}
