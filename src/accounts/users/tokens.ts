import { hashToken, newToken } from '../../lib/tokens.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { AccountTokenTable, TokenPurpose } from '../../storage/schema/accounts.ts'

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

const dropOfUser = statement(({ purpose, userId }: { purpose: string; userId: string }) =>
  q
    .deleteFrom('account_tokens')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose as TokenPurpose),
)

const dropWithoutUser = statement(({ purpose }: { purpose: string }) =>
  q
    .deleteFrom('account_tokens')
    .where('user_id', 'is', null)
    .where('purpose', '=', purpose as TokenPurpose),
)

const insert = statement((t: AccountTokenTable) =>
  q.insertInto('account_tokens').values({
    hash: t.hash,
    purpose: t.purpose,
    user_id: t.user_id,
    data: t.data,
    created_at: t.created_at,
    expires_at: t.expires_at,
  }),
)

/** Replaces earlier tokens of the same purpose and user. */
export function* issueToken(whose: TokenSubject, now: number, lifeMs: number | null): DbWork<string> {
  yield* dropTokens(whose)
  return yield* store(whose, null, now, lifeMs)
}

/** Keeps earlier tokens valid. */
export function* addToken(whose: TokenSubject, now: number, lifeMs: number): DbWork<string> {
  return yield* store(whose, null, now, lifeMs)
}

/** Carries data for something that does not exist yet; earlier tokens stay valid. */
export function* issueTokenWithData(purpose: TokenPurpose, data: string, now: number, lifeMs: number): DbWork<string> {
  return yield* store({ purpose, userId: null }, data, now, lifeMs)
}

function* store(
  { purpose, userId }: TokenSubject,
  data: string | null,
  now: number,
  lifeMs: number | null,
): DbWork<string> {
  const token = newToken()
  const expiresAt = lifeMs === null ? null : now + lifeMs
  yield* run(insert, { hash: hashToken(token), purpose, user_id: userId, data, created_at: now, expires_at: expiresAt })
  return token
}

export function* dropTokens({ purpose, userId }: TokenSubject): DbWork<void> {
  if (userId === null) yield* run(dropWithoutUser, { purpose })
  else yield* run(dropOfUser, { purpose, userId })
}

const redeem = statement(({ hash, purpose }: { hash: string; purpose: string }) =>
  q
    .deleteFrom('account_tokens')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose as TokenPurpose)
    .returning(['user_id', 'data', 'expires_at']),
)

/** Deletes the token and returns its user and data; undefined if it is unknown or has expired. */
export function* redeemToken(token: string, purpose: TokenPurpose, now: number): DbWork<RedeemedToken | undefined> {
  const row = yield* first(redeem, { hash: hashToken(token), purpose })
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined
  return { userId: row.user_id, data: row.data }
}

const byHash = statement(({ hash, purpose }: { hash: string; purpose: string }) =>
  q
    .selectFrom('account_tokens')
    .select(['user_id', 'expires_at'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose as TokenPurpose),
)

/** Checks without redeeming, to reject bad tokens before a password is hashed. */
export function* isValidToken(token: string, purpose: TokenPurpose, now: number): DbWork<boolean> {
  const found = yield* first(byHash, { hash: hashToken(token), purpose })
  return found !== undefined && (found.expires_at === null || found.expires_at > now)
}

/** Deletes up to `limit` expired tokens; returns how many. */
export const pruneTokens = pruning({ table: 'account_tokens', key: ['hash'], by: 'expires_at' })
