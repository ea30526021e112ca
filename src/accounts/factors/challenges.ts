import { MINUTE_MS } from '../../lib/clock.ts'
import { hashToken, newToken } from '../../lib/tokens.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

const LIFETIME_MS = 5 * MINUTE_MS
const MAX_ATTEMPTS = 5
/** Per user; a further one ends the oldest. */
const MAX_PER_USER = 20

/** Starts the second step of a sign-in. Returns the token that the code must carry; only its hash is stored. */
export function* createChallenge(userId: string, now: number): DbWork<string> {
  const surplus = q
    .selectFrom('challenges')
    .select('hash')
    .where('user_id', '=', userId)
    .orderBy('expires_at', 'desc')
    .orderBy('hash')
    .limit(MAX_PER_USER)
    .offset(MAX_PER_USER - 1)
  yield* execute(q.deleteFrom('challenges').where('hash', 'in', surplus))
  const token = newToken()
  const row = { hash: hashToken(token), purpose: 'SECOND_FACTOR', user_id: userId, failures: 0 } as const
  yield* execute(q.insertInto('challenges').values({ ...row, expires_at: now + LIFETIME_MS }))
  return token
}

/** Counts an attempt before the code is checked. Returns the user, or undefined for an unknown, expired or used-up challenge. */
export function* countChallengeAttempt(token: string, now: number): DbWork<string | undefined> {
  const [challenge] = yield* execute(
    q
      .updateTable('challenges')
      .set((is) => ({ failures: is('failures', '+', 1) }))
      .where('hash', '=', hashToken(token))
      .where('purpose', '=', 'SECOND_FACTOR')
      .where('failures', '<', MAX_ATTEMPTS)
      .where('expires_at', '>', now)
      .returning('user_id'),
  )
  return challenge?.user_id ?? undefined
}

/** Deletes a challenge and returns its user; undefined if it is unknown or has expired. */
export function* redeemChallenge(token: string, now: number): DbWork<string | undefined> {
  const [challenge] = yield* execute(
    q
      .deleteFrom('challenges')
      .where('hash', '=', hashToken(token))
      .where('purpose', '=', 'SECOND_FACTOR')
      .where('expires_at', '>', now)
      .returning('user_id'),
  )
  return challenge?.user_id ?? undefined
}

/** Called when the password or the factors change: sign-ins in progress must start again. */
export function* dropChallengesOf(userId: string): DbWork<void> {
  yield* execute(q.deleteFrom('challenges').where('user_id', '=', userId))
}

/** Deletes up to `limit` expired challenges; returns how many. */
export const pruneChallenges = pruning({ table: 'challenges', key: ['hash'], by: 'expires_at' })
