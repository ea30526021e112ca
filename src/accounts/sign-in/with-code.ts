import { appNetworkOperation, type OpenContext, type WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import type { DbWork } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { countChallengeAttempt, redeemChallenge } from '../factors/challenges.ts'
import { ChallengeToken, Code } from '../factors/schema.ts'
import { totpOf, useRecoveryCode, useTotpCode } from '../factors/totp-queries.ts'
import {
  clearFailures,
  clearSecondFactorFailures,
  countAttempt,
  perAccount,
  perAddress,
  perSecondFactor,
} from '../sessions/attempt-limits.ts'
import { replaceSession } from '../sessions/queries.ts'
import { userForUpdate, userWithId } from '../users/queries.ts'
import { SignInResult } from './schema.ts'

const answer = { status: 200, schema: SignInResult, description: 'Signed in' } as const
const errors = ['unauthorized', 'not_found'] as const
const limits = 'Five wrong codes end the challenge, and each slows further attempts down as a wrong password does.'

export const signInWithTotp = appNetworkOperation('signInWithTotp', {
  method: 'POST',
  path: '/sign-in/totp',
  access: 'write',
  tag: 'Account',
  summary: 'Finish signing in with a code of the authenticator app',
  description: `401 where the code is not right, 404 where the sign-in has to begin anew. ${limits}`,
  body: body('SignInWithTotp', { challenge: ChallengeToken, code: Code }),
  ...{ answer, errors },
  prepare: (context, { body: { challenge } }) => countCodeAttempt(context, challenge),
  run: async (userId) => userId,
  *save(context, { body: { challenge, code } }, userId) {
    const { installation, now } = context
    return yield* finishSignIn(context, challenge, userId, (user) =>
      useTotpCode(user.id, code, installation.sealer, now),
    )
  },
})

export const signInWithRecoveryCode = appNetworkOperation('signInWithRecoveryCode', {
  method: 'POST',
  path: '/sign-in/recovery-code',
  access: 'write',
  tag: 'Account',
  summary: 'Finish signing in with a recovery code',
  description: `A code works once. 401 where it is not right, 404 where the sign-in has to begin anew. ${limits}`,
  body: body('SignInWithRecoveryCode', { challenge: ChallengeToken, code: Code }),
  ...{ answer, errors },
  prepare: (context, { body: { challenge } }) => countCodeAttempt(context, challenge),
  run: async (userId) => userId,
  *save(context, { body: { challenge, code } }, userId) {
    const { sealer } = context.installation
    return yield* finishSignIn(context, challenge, userId, (user) => useRecoveryCode(user.id, code, sealer))
  },
})

/** Runs in its own transaction before the code is checked: the rollback after a wrong code must not undo the count. */
function* countCodeAttempt({ client, now }: OpenContext, challenge: string): DbWork<string> {
  const userId = yield* countChallengeAttempt(challenge, now)
  const user = userId === undefined ? undefined : yield* userWithId(userId)
  if (user === undefined) throw challengeExpired()
  yield* countAttempt(
    [
      { limit: perAccount, by: user.email_key },
      { limit: perAddress, by: client.address },
      { limit: perSecondFactor, by: user.id },
    ],
    now,
  )
  return user.id
}

function* finishSignIn(
  context: OpenContext,
  challenge: string,
  userId: string,
  isRight: (user: UserTable) => DbWork<boolean>,
): DbWork<WithSession<{ userId: string }>> {
  const { client, now } = context
  const user = yield* userForUpdate(userId)
  const redeemedBy = yield* redeemChallenge(challenge, now)
  if (user === undefined || redeemedBy !== user.id) throw challengeExpired()
  if ((yield* totpOf(user.id))?.confirmed_at == null) throw challengeExpired()
  if (!(yield* isRight(user))) throw new ApiError('unauthorized', 'The code is wrong or was already used')
  yield* clearFailures(user.email_key, client.address, now)
  yield* clearSecondFactorFailures(user.id)
  return yield* replaceSession(user.id, context)
}

function challengeExpired(): ApiError {
  return new ApiError('not_found', 'The sign-in timed out or had too many wrong codes. Sign in again')
}
