import { appErrand, type OpenVisit, type WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import type { Work } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema-accounts.ts'
import { countAnswer, takeChallenge } from '../factors/challenges.ts'
import { ChallengeToken, Code } from '../factors/schema.ts'
import { totpOf, useRecoveryCode, useTotpCode } from '../factors/totp-queries.ts'
import { comeIn, countAttempt, forgive, forgiveFactor, perAccount, perAddress, perFactor } from '../sessions/queries.ts'
import { CameIn } from '../sessions/schema.ts'
import { userToChange, userWithId } from '../users/queries.ts'

const answer = { status: 200, schema: CameIn, description: 'Signed in' } as const
const errors = ['unauthorized', 'not_found'] as const
const limits = 'Five wrong codes end the challenge, and each slows further attempts down as a wrong password does.'

export const signInWithTotp = appErrand('signInWithTotp', {
  method: 'POST',
  path: '/sign-in/totp',
  access: 'write',
  tag: 'Account',
  summary: 'Finish signing in with a code of the authenticator app',
  description: `401 where the code is not right, 404 where the sign-in has to begin anew. ${limits}`,
  body: body('SignInWithTotp', { challenge: ChallengeToken, code: Code }),
  ...{ answer, errors },
  ask: (visit, { body: { challenge } }) => count(visit, challenge),
  run: async (userId) => userId,
  *land(visit, { body: { challenge, code } }, userId) {
    const { installation, now } = visit
    return yield* pass(visit, challenge, userId, (user) => useTotpCode(user.id, code, installation.sealer, now))
  },
})

export const signInWithRecoveryCode = appErrand('signInWithRecoveryCode', {
  method: 'POST',
  path: '/sign-in/recovery-code',
  access: 'write',
  tag: 'Account',
  summary: 'Finish signing in with a recovery code',
  description: `A code works once. 401 where it is not right, 404 where the sign-in has to begin anew. ${limits}`,
  body: body('SignInWithRecoveryCode', { challenge: ChallengeToken, code: Code }),
  ...{ answer, errors },
  ask: (visit, { body: { challenge } }) => count(visit, challenge),
  run: async (userId) => userId,
  *land(visit, { body: { challenge, code } }, userId) {
    const { sealer } = visit.installation
    return yield* pass(visit, challenge, userId, (user) => useRecoveryCode(user.id, code, sealer))
  },
})

/** Counted before it is looked at, and committed: a wrong code must not take its own count back. */
function* count({ client, now }: OpenVisit, challenge: string): Work<string> {
  const userId = yield* countAnswer(challenge, 'SECOND_FACTOR', now)
  const user = userId === undefined ? undefined : yield* userWithId(userId)
  if (user === undefined) throw over()
  yield* countAttempt(
    [
      { brake: perAccount, whose: user.email_key },
      { brake: perAddress, whose: client.address },
      { brake: perFactor, whose: user.id },
    ],
    now,
  )
  return user.id
}

function* pass(
  visit: OpenVisit,
  challenge: string,
  userId: string,
  isRight: (user: UserTable) => Work<boolean>,
): Work<WithSession<{ userId: string }>> {
  const { client, now } = visit
  const user = yield* userToChange(userId)
  const taken = yield* takeChallenge(challenge, 'SECOND_FACTOR', now)
  if (user === undefined || taken?.user_id !== user.id) throw over()
  if ((yield* totpOf(user.id))?.confirmed_at == null) throw over()
  if (!(yield* isRight(user))) throw new ApiError('unauthorized', 'The code is not right, or was used before')
  yield* forgive(user.email_key, client.address, now)
  yield* forgiveFactor(user.id)
  return yield* comeIn(user.id, visit)
}

function over(): ApiError {
  return new ApiError('not_found', 'This sign-in took too long, or had too many wrong codes; begin anew')
}
