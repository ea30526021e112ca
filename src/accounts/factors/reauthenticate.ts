import type { UserContext } from '../../contract/app-operation.ts'
import { ApiError, invalid } from '../../contract/errors.ts'
import { verifyPassword } from '../../lib/passwords.ts'
import type { DbWork } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema-accounts.ts'
import { clearFailures, countAttempt, perAccount, perAddress } from '../sessions/attempt-limits.ts'
import { hasRecentSignIn } from '../sessions/queries.ts'
import { normalizePassword } from '../users/normalize.ts'
import { userForUpdate, userWithId } from '../users/queries.ts'

/**
 * A session alone does not change how its user comes in: somebody may have found the browser open. It takes the password, or
 * a sign-in of the last minutes. What takes a safeguard away takes the password wherever there is one.
 */
export interface Proof {
  readonly hash: string | null
  /** Null where the session itself is proof enough. */
  readonly given: string | null
}

interface Wanted {
  readonly password: string | undefined
  /** Whether a recent sign-in stands in for the password of an account that has one. */
  readonly allowRecentSignIn: boolean
}

export function* beginReauthentication(visit: UserContext, { password, allowRecentSignIn }: Wanted): DbWork<Proof> {
  const { signedIn, client, now } = visit
  const user = yield* userWithId(signedIn.userId)
  if (user === undefined) throw new ApiError('unauthorized', 'Sign in first')
  const hash = user.password_hash
  if (hash !== null && password !== undefined) {
    yield* countAttempt(
      [
        { limit: perAccount, by: user.email_key },
        { limit: perAddress, by: client.address },
      ],
      now,
    )
    return { hash, given: normalizePassword(password) }
  }
  if (hash !== null && !allowRecentSignIn)
    throw invalid([{ path: 'password', message: 'is required: give that of your account' }])
  if (yield* hasRecentSignIn(signedIn, now)) return { hash, given: null }
  const way = hash === null ? 'Sign out and in again' : 'Give your password, or sign out and in again'
  throw new ApiError('forbidden', `${way}: this takes a sign-in of the last 10 minutes`)
}

export interface Weighed extends Proof {
  readonly isRight: boolean
}

export async function checkPassword(proof: Proof): Promise<Weighed> {
  const { hash, given } = proof
  return { ...proof, isRight: given === null || (hash !== null && (await verifyPassword(given, hash))) }
}

/** The user, held until the end of the transaction; refuses who has not proven to be it. */
export function* requireReauthentication(
  { signedIn, client, now }: UserContext,
  { hash, given, isRight }: Weighed,
): DbWork<UserTable> {
  if (!isRight) throw invalid([{ path: 'password', message: 'is not right' }])
  const user = yield* userForUpdate(signedIn.userId)
  if (user === undefined || user.password_hash !== hash) {
    throw new ApiError('conflict', 'The password was changed meanwhile')
  }
  if (given !== null) yield* clearFailures(user.email_key, client.address, now)
  return user
}
