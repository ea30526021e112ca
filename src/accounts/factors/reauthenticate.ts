import type { UserContext } from '../../contract/app-operation.ts'
import { ApiError, faultFor, invalid } from '../../contract/errors.ts'
import { type HashingTurn, requireHashingRoom, verifyPassword } from '../../lib/passwords.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import {
  clearFailures,
  countPasswordAttempt,
  type PasswordAttempt,
  uncountAttempt,
} from '../sessions/attempt-limits.ts'
import { signedInAttempt } from '../sessions/known-clients.ts'
import { hasRecentSignIn } from '../sessions/queries.ts'
import { normalizePassword } from '../users/normalize.ts'
import { userForUpdate, userWithId } from '../users/queries.ts'

/**
 * Changing how a user signs in needs more than a session, which may be an unattended browser: the password, or a sign-in
 * within the last 10 minutes. Removing a factor needs the password if there is one.
 */
interface PasswordCheck {
  readonly hash: string | null
  /** Null if the recent sign-in is sufficient. */
  readonly password: string | null
  readonly attempt: PasswordAttempt
  readonly turn: HashingTurn
}

interface ReauthenticationRequest {
  readonly body: { readonly password?: string }
}

/** The steps of an operation before `save`, which calls `requireReauthentication`. */
export function reauthentication(settings: {
  /** Whether a recent sign-in is enough for an account that has a password. */
  readonly allowRecentSignIn: boolean
}) {
  return {
    prepare: (context: UserContext, { body: { password } }: ReauthenticationRequest) =>
      beginReauthentication(context, password, settings.allowRecentSignIn),
    run: checkPassword,
    abandon: (context: UserContext, _input: unknown, check: PasswordCheck) => abandonReauthentication(context, check),
  }
}

export function* beginReauthentication(
  context: UserContext,
  password: string | undefined,
  allowRecentSignIn: boolean,
): DbWork<PasswordCheck> {
  const { signedIn, client, now } = context
  const user = yield* userWithId(signedIn.userId)
  if (user === undefined) throw new ApiError('unauthorized', reason('sign_in_first'))
  const hash = user.password_hash
  const classified = signedInAttempt(user, signedIn, client)
  if (hash !== null && password !== undefined) {
    requireHashingRoom(classified.turn)
    yield* countPasswordAttempt(classified.attempt, now)
    return { hash, password: normalizePassword(password), ...classified }
  }
  if (hash !== null && !allowRecentSignIn) throw invalid([faultFor('password', reason('required'))])
  if (yield* hasRecentSignIn(signedIn, now)) return { hash, password: null, ...classified }
  throw new ApiError('forbidden', reason(hash === null ? 'recent_sign_in' : 'recent_sign_in_password'))
}

interface CheckedPassword extends PasswordCheck {
  readonly isRight: boolean
}

export async function checkPassword(check: PasswordCheck): Promise<CheckedPassword> {
  const { hash, password, turn } = check
  return { ...check, isRight: password === null || (hash !== null && (await verifyPassword(password, hash, turn))) }
}

/** Uncounts an attempt whose password was not checked, because the server is overloaded. */
export function* abandonReauthentication({ now }: UserContext, { password, attempt }: PasswordCheck): DbWork<void> {
  if (password !== null) yield* uncountAttempt(attempt, now)
}

/** The user, locked until the end of the transaction. Throws if the password was wrong or has changed. */
export function* requireReauthentication(
  { signedIn, now }: UserContext,
  { hash, password, isRight, attempt }: CheckedPassword,
): DbWork<UserTable> {
  if (!isRight) throw invalid([faultFor('password', reason('wrong'))])
  const user = yield* userForUpdate(signedIn.userId)
  if (user === undefined || user.password_hash !== hash) {
    throw new ApiError('conflict', reason('password_changed'))
  }
  if (password !== null) yield* clearFailures(attempt, now)
  return user
}
