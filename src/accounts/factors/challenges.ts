import { MINUTE_MS } from '../../lib/clock.ts'
import { hashToken, newToken } from '../../lib/tokens.ts'
import { type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import type { ChallengePurpose, ChallengeTable } from '../../storage/schema-factors.ts'

const LIFE_MS = 5 * MINUTE_MS
/** Wrong answers to one question; then it has to be asked anew. */
export const MAX_ATTEMPTS = 5

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

/** Asks a question; its answer names it by the token, which is stored nowhere. */
export function* createChallenge({ purpose, userId, data }: NewChallenge, now: number): DbWork<string> {
  const token = newToken()
  const hash = hashToken(token)
  yield* run(insert, { hash, purpose, user_id: userId, data, failures: 0, expires_at: now + LIFE_MS })
  return token
}

interface ChallengeKey {
  hash: string
  purpose: ChallengePurpose
  now: number
}

const count = statement(({ hash, purpose, now }: ChallengeKey) =>
  q
    .updateTable('challenges')
    .set((is) => ({ failures: is('failures', '+', 1) }))
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('failures', '<', MAX_ATTEMPTS)
    .where('expires_at', '>', now)
    .returning(['user_id']),
)

/** Counts an answer as wrong before it is looked at, and says whom was asked; undefined where nothing was, or no longer. */
export function* countChallengeAttempt(
  token: string,
  purpose: ChallengePurpose,
  now: number,
): DbWork<string | undefined> {
  return (yield* first(count, { hash: hashToken(token), purpose, now }))?.user_id ?? undefined
}

const take = statement(({ hash, purpose, now }: ChallengeKey) =>
  q
    .deleteFrom('challenges')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning(['user_id', 'data']),
)

/** Ends a question with its one answer; undefined where there is none to answer, or no longer. */
export function* redeemChallenge(
  token: string,
  purpose: ChallengePurpose,
  now: number,
): DbWork<Pick<ChallengeTable, 'user_id' | 'data'> | undefined> {
  return yield* first(take, { hash: hashToken(token), purpose, now })
}

const drop = statement(({ userId }: { userId: string }) => q.deleteFrom('challenges').where('user_id', '=', userId))

/** Whoever was asked before something changed has to begin anew. */
export function* dropChallengesOf(userId: string): DbWork<void> {
  yield* run(drop, { userId })
}

/** Forgets questions that nobody answered, a few at a time; says how many. */
export function* pruneChallenges(now: number, limit: number): DbWork<number> {
  const over = yield* execute(
    q
      .deleteFrom('challenges')
      .where('hash', 'in', q.selectFrom('challenges').select('hash').where('expires_at', '<=', now).limit(limit))
      .returning('hash'),
  )
  return over.length
}
