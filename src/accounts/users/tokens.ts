import { hashToken, newToken } from '../../lib/tokens.ts'
import { type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import type { AccountTokenTable, TokenPurpose } from '../../storage/schema-accounts.ts'

/** Links that are good for one use. What is stored is a hash; the link itself is printed or mailed once. */

interface TokenSubject {
  readonly purpose: TokenPurpose
  /** Null where there is no user yet. */
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

const dropOfNobody = statement(({ purpose }: { purpose: string }) =>
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

/** A new link; an earlier one for the same ends with it. */
export function* issueToken(whose: TokenSubject, now: number, lifeMs: number | null): DbWork<string> {
  yield* endTokens(whose)
  return yield* store(whose, null, now, lifeMs)
}

/** A new link about something that is not there yet; others are left as they are. */
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

export function* endTokens({ purpose, userId }: TokenSubject): DbWork<void> {
  if (userId === null) yield* run(dropOfNobody, { purpose })
  else yield* run(dropOfUser, { purpose, userId })
}

const take = statement(({ hash, purpose }: { hash: string; purpose: string }) =>
  q
    .deleteFrom('account_tokens')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose as TokenPurpose)
    .returning(['user_id', 'data', 'expires_at']),
)

/** Uses a link up and says whose it was; undefined where it is nobody's, or its time is over. */
export function* redeemToken(token: string, purpose: TokenPurpose, now: number): DbWork<RedeemedToken | undefined> {
  const taken = yield* first(take, { hash: hashToken(token), purpose })
  if (taken === undefined || (taken.expires_at !== null && taken.expires_at <= now)) return undefined
  return { userId: taken.user_id, data: taken.data }
}

const look = statement(({ hash, purpose }: { hash: string; purpose: string }) =>
  q
    .selectFrom('account_tokens')
    .select(['user_id', 'expires_at'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose as TokenPurpose),
)

/** The same without using it up: whoever has to wait for something before it counts looks first. */
export function* isValidToken(token: string, purpose: TokenPurpose, now: number): DbWork<boolean> {
  const found = yield* first(look, { hash: hashToken(token), purpose })
  return found !== undefined && (found.expires_at === null || found.expires_at > now)
}

/** Forgets links whose time is over, a few at a time; says how many. */
export function* pruneTokens(now: number, limit: number): DbWork<number> {
  const over = yield* execute(
    q
      .deleteFrom('account_tokens')
      .where('hash', 'in', q.selectFrom('account_tokens').select('hash').where('expires_at', '<=', now).limit(limit))
      .returning('hash'),
  )
  return over.length
}
