import { MINUTE_MS } from '../../lib/clock.ts'
import { hashToken, newToken } from '../../lib/tokens.ts'
import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { ChallengeTable } from '../../storage/schema/factors.ts'

const LIFETIME_MS = 5 * MINUTE_MS
const MAX_ATTEMPTS = 5
/** Per user; a further one ends the oldest. */
const MAX_PER_USER = 20

const insert = statement((c: ChallengeTable) =>
  q.insertInto('challenges').values({
    hash: c.hash,
    purpose: c.purpose,
    user_id: c.user_id,
    failures: c.failures,
    expires_at: c.expires_at,
  }),
)

const surplus = statement(({ userId }: { userId: string }) =>
  q
    .selectFrom('challenges')
    .select('hash')
    .where('user_id', '=', userId)
    .orderBy('expires_at', 'desc')
    .orderBy('hash')
    .limit(MAX_PER_USER)
    .offset(MAX_PER_USER - 1),
)

const dropOne = statement(({ hash }: { hash: string }) => q.deleteFrom('challenges').where('hash', '=', hash))

/** Starts the second step of a sign-in. Returns the token that the code must carry; only its hash is stored. */
export function* createChallenge(userId: string, now: number): DbWork<string> {
  for (const { hash } of yield* all(surplus, { userId })) yield* run(dropOne, { hash })
  const token = newToken()
  const row = { hash: hashToken(token), user_id: userId, failures: 0, expires_at: now + LIFETIME_MS }
  yield* run(insert, { purpose: 'SECOND_FACTOR', ...row })
  return token
}

interface ChallengeKey {
  hash: string
  now: number
}

const countAttempt = statement(({ hash, now }: ChallengeKey) =>
  q
    .updateTable('challenges')
    .set((is) => ({ failures: is('failures', '+', 1) }))
    .where('hash', '=', hash)
    .where('purpose', '=', 'SECOND_FACTOR')
    .where('failures', '<', MAX_ATTEMPTS)
    .where('expires_at', '>', now)
    .returning(['user_id']),
)

/** Counts an attempt before the code is checked. Returns the user, or undefined for an unknown, expired or used-up challenge. */
export function* countChallengeAttempt(token: string, now: number): DbWork<string | undefined> {
  return (yield* first(countAttempt, { hash: hashToken(token), now }))?.user_id ?? undefined
}

const redeem = statement(({ hash, now }: ChallengeKey) =>
  q
    .deleteFrom('challenges')
    .where('hash', '=', hash)
    .where('purpose', '=', 'SECOND_FACTOR')
    .where('expires_at', '>', now)
    .returning(['user_id']),
)

/** Deletes a challenge and returns its user; undefined if it is unknown or has expired. */
export function* redeemChallenge(token: string, now: number): DbWork<string | undefined> {
  return (yield* first(redeem, { hash: hashToken(token), now }))?.user_id ?? undefined
}

const drop = statement(({ userId }: { userId: string }) => q.deleteFrom('challenges').where('user_id', '=', userId))

/** Called when the password or the factors change: sign-ins in progress must start again. */
export function* dropChallengesOf(userId: string): DbWork<void> {
  yield* run(drop, { userId })
}

/** Deletes up to `limit` expired challenges; returns how many. */
export const pruneChallenges = pruning({ table: 'challenges', key: ['hash'], by: 'expires_at' })
