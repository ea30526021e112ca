import { appErrand } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { hashPassword, isOutdated, isPassword, nobodysHash } from '../../lib/passwords.ts'
import { challengeFor } from '../factors/queries.ts'
import { countAttempt, forgive, perAccount, perAddress, takeBack } from '../sessions/attempt-limits.ts'
import { comeIn } from '../sessions/queries.ts'
import { CameIn } from '../sessions/schema.ts'
import { emailKey, normalPassword } from '../users/normalize.ts'
import { savePassword, userToChange, userWithEmail } from '../users/queries.ts'
import { Email, GivenPassword } from '../users/schema.ts'

/**
 * What is wrong is not said, and cannot be told from the time it takes: without an account somebody else's work is done, the
 * same statements are asked, and the same attempts are counted.
 */
export const signIn = appErrand('signIn', {
  method: 'POST',
  path: '/sign-in',
  access: 'write',
  tag: 'Account',
  summary: 'Sign in with a password',
  description:
    'Opens a new session, in the cookie, and ends the one the browser had. Where a second factor is asked for there is no session ' +
    'yet, but a challenge. Failed attempts slow further ones down.',
  body: body('SignIn', { email: Email, password: GivenPassword }),
  answer: { status: 200, schema: CameIn, description: 'Signed in, or the second factor is asked for' },
  errors: ['unauthorized'],
  *ask({ client, now }, { body: { email, password } }) {
    const account = emailKey(email)
    yield* countAttempt(
      [
        { brake: perAccount, whose: account },
        { brake: perAddress, whose: client.address },
      ],
      now,
    )
    const user = yield* userWithEmail(email)
    return { userId: user?.id, hash: user?.password_hash ?? null, password: normalPassword(password), account }
  },
  async run({ userId, hash, password, account }) {
    const isRight = (await isPassword(password, hash ?? nobodysHash)) && hash !== null
    const newHash = isRight && isOutdated(hash) ? await hashPassword(password) : undefined
    return { userId: isRight ? userId : undefined, hash, newHash, account }
  },
  *land(visit, _input, { userId, hash, newHash, account }) {
    const { client, now } = visit
    if (userId === undefined) throw wrong()
    const user = yield* userToChange(userId)
    // Changed while it was being looked at: then it is an old password.
    if (user === undefined || user.password_hash !== hash) throw wrong()
    if (newHash !== undefined) yield* savePassword(user.id, newHash, now)
    const challenge = yield* challengeFor(user.id, now)
    if (challenge !== undefined) {
      yield* takeBack(account, client.address, now)
      return { userId: null, challenge }
    }
    yield* forgive(account, client.address, now)
    return yield* comeIn(user.id, visit)
  },
})

function wrong(): ApiError {
  return new ApiError('unauthorized', 'The e-mail address or the password is not right')
}
