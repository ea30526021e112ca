import { appNetworkOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { dummyHash, hashPassword, needsRehash, verifyPassword } from '../../lib/passwords.ts'
import { challengeFor } from '../factors/queries.ts'
import { clearFailures, countPasswordAttempt, uncountAttempt } from '../sessions/attempt-limits.ts'
import { replaceSession } from '../sessions/queries.ts'
import { emailKey, normalizePassword } from '../users/normalize.ts'
import { savePassword, userForUpdate, userWithEmail } from '../users/queries.ts'
import { CurrentPassword, Email } from '../users/schema.ts'
import { SignInResult } from './schema.ts'

/**
 * Neither the answer nor its timing reveals whether the account exists: without one a dummy hash is verified, the same
 * statements run, and the attempt is counted.
 */
export const signIn = appNetworkOperation('signIn', {
  method: 'POST',
  path: '/sign-in',
  access: 'write',
  tag: 'Account',
  summary: 'Sign in with a password',
  description:
    'Opens a new session, in the cookie, and ends the one the browser had. Where a second factor is asked for there is no session ' +
    'yet, but a challenge. Failed attempts slow further ones down.',
  body: body('SignIn', { email: Email, password: CurrentPassword }),
  answer: { status: 200, schema: SignInResult, description: 'Signed in, or the second factor is asked for' },
  errors: ['unauthorized'],
  *prepare({ client, now }, { body: { email, password } }) {
    const account = emailKey(email)
    yield* countPasswordAttempt(account, client.address, now)
    const user = yield* userWithEmail(email)
    return { userId: user?.id, hash: user?.password_hash ?? null, password: normalizePassword(password), account }
  },
  async run({ userId, hash, password, account }) {
    const isRight = (await verifyPassword(password, hash ?? dummyHash())) && hash !== null
    const newHash = isRight && needsRehash(hash) ? await hashPassword(password) : undefined
    return { userId: isRight ? userId : undefined, hash, newHash, account }
  },
  *save(context, _input, { userId, hash, newHash, account }) {
    const { client, now } = context
    if (userId === undefined) throw wrongCredentials()
    const user = yield* userForUpdate(userId)
    // The password was changed while the old one was being verified.
    if (user === undefined || user.password_hash !== hash) throw wrongCredentials()
    if (newHash !== undefined) yield* savePassword(user.id, newHash, now)
    const challenge = yield* challengeFor(user.id, now)
    if (challenge !== undefined) {
      yield* uncountAttempt(account, client.address, now)
      return { userId: null, challenge }
    }
    yield* clearFailures(account, client.address, now)
    return yield* replaceSession(user.id, context)
  },
})

function wrongCredentials(): ApiError {
  return new ApiError('unauthorized', 'Wrong e-mail address or password')
}
