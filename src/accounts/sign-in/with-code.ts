import { appNetworkOperation, type OpenContext, type WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { countChallengeAttempt, redeemChallenge } from '../factors/challenges.ts'
import { ChallengeToken, Code } from '../factors/schema.ts'
import { totpOf, useRecoveryCode, useTotpCode } from '../factors/totp-queries.ts'
import {
  clearFailures,
  clearSecondFactorFailures,
  countCodeAttempt,
  type PasswordAttempt,
} from '../sessions/attempt-limits.ts'
import { classifyAttempt } from '../sessions/known-clients.ts'
import { replaceSession } from '../sessions/queries.ts'
import { userForUpdate, userWithId } from '../users/queries.ts'
import { SignInResult } from './schema.ts'

const answer = { status: 200, schema: SignInResult, description: 'Signed in' } as const
const errors = ['unauthorized', 'not_found'] as const
const limits = 'Five wrong codes end the challenge. Wrong codes count as failed attempts, like wrong passwords.'

export const signInWithTotp = appNetworkOperation('signInWithTotp', {
  method: 'POST',
  path: '/sign-in/totp',
  tag: 'Account',
  summary: 'Complete a sign-in with a code of the authenticator app',
  description: `401 if the code is wrong, 404 if the sign-in must be restarted. ${limits}`,
  body: body('SignInWithTotp', { challenge: ChallengeToken, code: Code }),
  answer,
  errors,
  prepare: (context, { body: { challenge } }) => beginAttempt(context, challenge),
  run: async (begun) => begun,
  *save(context, { body: { challenge, code } }, begun) {
    const { installation, now } = context
    return yield* finishSignIn(context, challenge, begun, (user) =>
      useTotpCode(user.id, code, installation.sealer, now),
    )
  },
})

export const signInWithRecoveryCode = appNetworkOperation('signInWithRecoveryCode', {
  method: 'POST',
  path: '/sign-in/recovery-code',
  tag: 'Account',
  summary: 'Complete a sign-in with a recovery code',
  description: `A code works once. 401 if it is wrong, 404 if the sign-in must be restarted. ${limits}`,
  body: body('SignInWithRecoveryCode', { challenge: ChallengeToken, code: Code }),
  answer,
  errors,
  prepare: (context, { body: { challenge } }) => beginAttempt(context, challenge),
  run: async (begun) => begun,
  *save(context, { body: { challenge, code } }, begun) {
    const { sealer } = context.installation
    return yield* finishSignIn(context, challenge, begun, (user) => useRecoveryCode(user.id, code, sealer))
  },
})

interface BegunAttempt {
  readonly userId: string
  readonly attempt: PasswordAttempt
}

/** Runs in its own transaction before the code is checked: the rollback after a wrong code must not undo the count. */
function* beginAttempt({ client, now }: OpenContext, challenge: string): DbWork<BegunAttempt> {
  const userId = yield* countChallengeAttempt(challenge, now)
  const user = userId === undefined ? undefined : yield* userWithId(userId)
  if (user === undefined) throw challengeExpired()
  const { attempt } = yield* classifyAttempt(user.email_key, user, client, now)
  yield* countCodeAttempt(attempt, user.id, now)
  return { userId: user.id, attempt }
}

function* finishSignIn(
  context: OpenContext,
  challenge: string,
  { userId, attempt }: BegunAttempt,
  isRight: (user: UserTable) => DbWork<boolean>,
): DbWork<WithSession<{ userId: string }>> {
  const { now } = context
  const user = yield* userForUpdate(userId)
  const redeemedBy = yield* redeemChallenge(challenge, now)
  if (user === undefined || redeemedBy !== user.id) throw challengeExpired()
  if ((yield* totpOf(user.id))?.confirmed_at == null) throw challengeExpired()
  if (!(yield* isRight(user))) throw new ApiError('unauthorized', reason('code_used'))
  yield* clearFailures(attempt, now)
  yield* clearSecondFactorFailures(user.id)
  return yield* replaceSession(user.id, context)
}

function challengeExpired(): ApiError {
  return new ApiError('not_found', reason('sign_in_ended'))
}
