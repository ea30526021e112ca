import { hashToken, newToken } from '../../lib/tokens.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { TokenPurpose } from '../../storage/schema/accounts.ts'

/** Single-use tokens for links that are printed or mailed. Only their hashes are stored. */

interface TokenSubject {
  readonly purpose: TokenPurpose
  /** Null if there is no user yet. */
  readonly userId: string | null
}

interface RedeemedToken {
  readonly userId: string | null
  readonly data: string | null
}

/** Replaces earlier tokens of the same purpose and user. */
export function* issueToken(whose: TokenSubject, now: number, lifeMs: number | null): DbWork<string> {
  yield* dropTokens(whose)
  return yield* addToken(whose, now, lifeMs)
}

interface NewToken extends TokenSubject {
  /** About something that does not exist yet. */
  readonly data?: string
}

/** Keeps earlier tokens valid. */
export function* addToken({ purpose, userId, data }: NewToken, now: number, lifeMs: number | null): DbWork<string> {
  const token = newToken()
  const expiresAt = lifeMs === null ? null : now + lifeMs
  const row = { hash: hashToken(token), purpose, user_id: userId, data: data ?? null, created_at: now }
  yield* execute(q.insertInto('account_tokens').values({ ...row, expires_at: expiresAt }))
  return token
}

export function* dropTokens({ purpose, userId }: TokenSubject): DbWork<void> {
  const ofPurpose = q.deleteFrom('account_tokens').where('purpose', '=', purpose)
  yield* execute(userId === null ? ofPurpose.where('user_id', 'is', null) : ofPurpose.where('user_id', '=', userId))
}

/** Deletes the token and returns its user and data; undefined if it is unknown or has expired. */
export function* redeemToken(token: string, purpose: TokenPurpose, now: number): DbWork<RedeemedToken | undefined> {
  const [row] = yield* execute(
    q
      .deleteFrom('account_tokens')
      .where('hash', '=', hashToken(token))
      .where('purpose', '=', purpose)
      .returning(['user_id', 'data', 'expires_at']),
  )
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined
  return { userId: row.user_id, data: row.data }
}

/** Checks without redeeming, to reject bad tokens before a password is hashed. */
export function* isValidToken(token: string, purpose: TokenPurpose, now: number): DbWork<boolean> {
  const [found] = yield* execute(
    q
      .selectFrom('account_tokens')
      .select('expires_at')
      .where('hash', '=', hashToken(token))
      .where('purpose', '=', purpose),
  )
  return found !== undefined && (found.expires_at === null || found.expires_at > now)
}

/** Deletes up to `limit` expired tokens; returns how many. */
export const pruneTokens = pruning({ table: 'account_tokens', key: ['hash'], by: 'expires_at' })
