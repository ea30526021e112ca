import { appNetworkOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { QueueFull } from '../../lib/fair-queue.ts'
import {
  dummyHash,
  type HashingTurn,
  hashPassword,
  needsRehash,
  requireHashingRoom,
  verifyPassword,
} from '../../lib/passwords.ts'
import { reason } from '../../reasons/reason.ts'
import { challengeFor } from '../factors/queries.ts'
import { clearFailures, countPasswordAttempt, uncountAttempt } from '../sessions/attempt-limits.ts'
import { classifyAttempt } from '../sessions/known-clients.ts'
import { replaceSession } from '../sessions/queries.ts'
import { emailKey, normalizePassword } from '../users/normalize.ts'
import { updateUser, userForUpdate, userWithEmail } from '../users/queries.ts'
import { CurrentPassword, Email } from '../users/schema.ts'
import { SignInResult } from './schema.ts'

/**
 * Neither the answer nor its timing reveals whether the account exists: without one a dummy hash is verified, the same
 * statements run, and the attempt is counted.
 */
export const signIn = appNetworkOperation('signIn', {
  method: 'POST',
  path: '/sign-in',
  tag: 'Account',
  summary: 'Sign in with a password',
  description:
    "Starts a session and ends the browser's previous one. If a second factor is required, the response is a " +
    'challenge instead. Failed attempts slow down further ones. An overloaded server answers 429, which does ' +
    'not count as an attempt.',
  body: body('SignIn', { email: Email, password: CurrentPassword }),
  answer: { status: 200, schema: SignInResult, description: 'Signed in, or a challenge for the second factor' },
  errors: ['unauthorized'],
  *prepare({ client, now }, { body: { email, password } }) {
    const user = yield* userWithEmail(email)
    const { attempt, turn } = yield* classifyAttempt(emailKey(email), user, client, now)
    requireHashingRoom(turn)
    yield* countPasswordAttempt(attempt, now)
    const hash = user?.password_hash ?? null
    return { userId: user?.id, hash, password: normalizePassword(password), attempt, turn }
  },
  async run({ userId, hash, password, attempt, turn }) {
    const isRight = (await verifyPassword(password, hash ?? dummyHash(), turn)) && hash !== null
    const newHash = isRight && needsRehash(hash) ? await rehash(password, turn) : undefined
    return { userId: isRight ? userId : undefined, hash, newHash, attempt }
  },
  abandon: ({ now }, _input, { attempt }) => uncountAttempt(attempt, now),
  *save(context, _input, { userId, hash, newHash, attempt }) {
    const { now } = context
    if (userId === undefined) throw wrongCredentials()
    const user = yield* userForUpdate(userId)
    // The password was changed while the old one was being verified.
    if (user === undefined || user.password_hash !== hash) throw wrongCredentials()
    if (newHash !== undefined) yield* updateUser(user.id, { password_hash: newHash }, now)
    const challenge = yield* challengeFor(user.id, now)
    if (challenge !== undefined) {
      yield* uncountAttempt(attempt, now)
      return { userId: null, challenge }
    }
    yield* clearFailures(attempt, now)
    return yield* replaceSession(user.id, context)
  },
})

/** Undefined if the server is overloaded: the next sign-in tries again. */
async function rehash(password: string, turn: HashingTurn): Promise<string | undefined> {
  try {
    return await hashPassword(password, turn)
  } catch (error) {
    if (error instanceof QueueFull) return undefined
    throw error
  }
}

function wrongCredentials(): ApiError {
  return new ApiError('unauthorized', reason('wrong_login'))
}
