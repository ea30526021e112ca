import { appErrand, WithSession } from '../contract/app-operation.ts'
import { ApiError, invalid } from '../contract/errors.ts'
import { body } from '../contract/schema.ts'
import { hashPassword, isPassword, nobodysHash } from '../lib/passwords.ts'
import { savePassword, userToChange, userWithId } from '../users/queries.ts'
import { renderUser } from '../users/render.ts'
import { GivenPassword, NewPassword, User } from '../users/schema.ts'
import { normalPassword } from '../users/types.ts'
import { countAttempt, forgive, perAccount, perAddress } from './attempts.ts'
import { endSessionsOf, rotateSession } from './queries.ts'

export const changePassword = appErrand('changePassword', {
  method: 'POST',
  path: '/me/password',
  access: 'write',
  tag: 'Account',
  summary: 'Change your password',
  description: 'All other sessions end, and this one goes on with a new token.',
  body: body('ChangePassword', { currentPassword: GivenPassword, newPassword: NewPassword }),
  answer: { status: 200, schema: User, description: 'The password is changed' },
  errors: ['conflict'],
  *ask({ signedIn, client, now }, { body: { currentPassword, newPassword } }) {
    const user = yield* userWithId(signedIn.userId)
    if (user === undefined) throw new ApiError('unauthorized', 'Sign in first')
    // Whoever found an open browser is slowed down like whoever stands before the door.
    yield* countAttempt(
      [
        { brake: perAccount, whose: user.email_key },
        { brake: perAddress, whose: client.address },
      ],
      now,
    )
    return { hash: user.password_hash, given: normalPassword(currentPassword), wanted: normalPassword(newPassword) }
  },
  async run({ hash, given, wanted }) {
    const isRight = (await isPassword(given, hash ?? nobodysHash)) && hash !== null
    return { hash, newHash: isRight ? await hashPassword(wanted) : undefined }
  },
  *land({ signedIn, client, now }, _input, { hash, newHash }) {
    if (newHash === undefined) throw invalid([{ path: 'currentPassword', message: 'is not right' }])
    const user = yield* userToChange(signedIn.userId)
    if (user === undefined || user.password_hash !== hash) {
      throw new ApiError('conflict', 'The password was changed meanwhile')
    }
    yield* forgive(user.email_key, client.address, now)
    yield* savePassword(user.id, newHash, now)
    yield* endSessionsOf(user.id, signedIn.sessionId)
    return new WithSession(renderUser({ ...user, password_hash: newHash }), yield* rotateSession(signedIn.sessionId))
  },
})
