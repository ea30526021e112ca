import { MINUTE_MS } from '../../lib/clock.ts'
import { hashToken, newToken } from '../../lib/tokens.ts'
import { type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import type { ChallengePurpose, ChallengeTable } from '../../storage/schema/factors.ts'

const LIFETIME_MS = 5 * MINUTE_MS
const MAX_ATTEMPTS = 5

const insert = statement((c: ChallengeTable) =>
  q.insertInto('challenges').values({
    hash: c.hash,
    purpose: c.purpose,
    user_id: c.user_id,
    data: c.data,
    failures: c.failures,
    expires_at: c.expires_at,
  }),
)

interface NewChallenge {
  readonly purpose: ChallengePurpose
  readonly userId: string | null
  readonly data: string | null
}

/** Returns the token that the response must carry; only its hash is stored. */
export function* createChallenge({ purpose, userId, data }: NewChallenge, now: number): DbWork<string> {
  const token = newToken()
  const hash = hashToken(token)
  yield* run(insert, { hash, purpose, user_id: userId, data, failures: 0, expires_at: now + LIFETIME_MS })
  return token
}

interface ChallengeKey {
  hash: string
  purpose: ChallengePurpose
  now: number
}

const countAttempt = statement(({ hash, purpose, now }: ChallengeKey) =>
  q
    .updateTable('challenges')
    .set((is) => ({ failures: is('failures', '+', 1) }))
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('failures', '<', MAX_ATTEMPTS)
    .where('expires_at', '>', now)
    .returning(['user_id']),
)

/** Counts an attempt before the code is checked. Returns the user, or undefined for an unknown, expired or used-up challenge. */
export function* countChallengeAttempt(
  token: string,
  purpose: ChallengePurpose,
  now: number,
): DbWork<string | undefined> {
  return (yield* first(countAttempt, { hash: hashToken(token), purpose, now }))?.user_id ?? undefined
}

const redeem = statement(({ hash, purpose, now }: ChallengeKey) =>
  q
    .deleteFrom('challenges')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning(['user_id', 'data']),
)

/** Deletes a challenge and returns its data; undefined if it is unknown or has expired. */
export function* redeemChallenge(
  token: string,
  purpose: ChallengePurpose,
  now: number,
): DbWork<Pick<ChallengeTable, 'user_id' | 'data'> | undefined> {
  return yield* first(redeem, { hash: hashToken(token), purpose, now })
}

const drop = statement(({ userId }: { userId: string }) => q.deleteFrom('challenges').where('user_id', '=', userId))

/** Called when the password or the factors change: sign-ins in progress must start again. */
export function* dropChallengesOf(userId: string): DbWork<void> {
  yield* run(drop, { userId })
}

/** Deletes up to `limit` expired challenges; returns how many. */
export function* pruneChallenges(now: number, limit: number): DbWork<number> {
  const expired = yield* execute(
    q
      .deleteFrom('challenges')
      .where('hash', 'in', q.selectFrom('challenges').select('hash').where('expires_at', '<=', now).limit(limit))
      .returning('hash'),
  )
  return expired.length
}
