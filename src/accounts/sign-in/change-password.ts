import Type from 'typebox'
import { appNetworkOperation, WithSession } from '../../contract/app-operation.ts'
import { ApiError, faultFor, invalid } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { hashPassword, requireHashingRoom, verifyPassword } from '../../lib/passwords.ts'
import { reason } from '../../reasons/reason.ts'
import { dropChallengesOf } from '../factors/challenges.ts'
import { clearFailures, countPasswordAttempt, uncountAttempt } from '../sessions/attempt-limits.ts'
import { signedInAttempt } from '../sessions/known-clients.ts'
import { endSessionsOf, hasRecentSignIn, rotateSession } from '../sessions/queries.ts'
import { normalizePassword } from '../users/normalize.ts'
import { updateUser, userForUpdate, userWithId } from '../users/queries.ts'
import { accountFaults, CurrentPassword, NewPassword, renderUser, User } from '../users/schema.ts'

export const changePassword = appNetworkOperation('changePassword', {
  method: 'POST',
  path: '/me/password',
  tag: 'Account',
  summary: 'Change your password',
  description:
    'Ends all other sessions; this one gets a new token. A user without a password omits `currentPassword` ' +
    'and must have signed in within the last 10 minutes.',
  body: body('ChangePassword', { currentPassword: Type.Optional(CurrentPassword), newPassword: NewPassword }),
  refine: accountFaults,
  answer: { status: 200, schema: User, description: 'The password is changed' },
  errors: ['conflict', 'forbidden'],
  *prepare({ signedIn, client, now }, { body: { currentPassword, newPassword } }) {
    const user = yield* userWithId(signedIn.userId)
    if (user === undefined) throw new ApiError('unauthorized', reason('sign_in_first'))
    const next = normalizePassword(newPassword)
    const classified = signedInAttempt(user, signedIn, client)
    requireHashingRoom(classified.turn)
    if (user.password_hash === null) {
      if (yield* hasRecentSignIn(signedIn, now)) return { hash: null, current: null, next, ...classified }
      throw new ApiError('forbidden', reason('recent_sign_in'))
    }
    if (currentPassword === undefined) throw invalid([faultFor('currentPassword', reason('required'))])
    // Guesses in an unattended browser count like guesses at sign-in.
    yield* countPasswordAttempt(classified.attempt, now)
    return { hash: user.password_hash, current: normalizePassword(currentPassword), next, ...classified }
  },
  async run({ hash, current, next, attempt, turn }) {
    const isRight = hash === null || (current !== null && (await verifyPassword(current, hash, turn)))
    return { hash, attempt, newHash: isRight ? await hashPassword(next, turn) : undefined }
  },
  *abandon({ now }, _input, { current, attempt }) {
    if (current !== null) yield* uncountAttempt(attempt, now)
  },
  *save({ signedIn, now }, _input, { hash, newHash, attempt }) {
    if (newHash === undefined) throw invalid([faultFor('currentPassword', reason('wrong'))])
    const user = yield* userForUpdate(signedIn.userId)
    if (user === undefined || user.password_hash !== hash) {
      throw new ApiError('conflict', reason('password_changed'))
    }
    yield* clearFailures(attempt, now)
    yield* updateUser(user.id, { password_hash: newHash }, now)
    yield* dropChallengesOf(user.id)
    yield* endSessionsOf(user.id, signedIn.sessionId)
    return new WithSession(renderUser({ ...user, password_hash: newHash }), yield* rotateSession(signedIn.sessionId))
  },
})
