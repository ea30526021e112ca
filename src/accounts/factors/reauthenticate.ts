import type { UserVisit } from '../../contract/app-operation.ts'
import { ApiError, invalid } from '../../contract/errors.ts'
import { isPassword } from '../../lib/passwords.ts'
import type { Work } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema-accounts.ts'
import { countAttempt, forgive, hasJustSignedIn, perAccount, perAddress } from '../sessions/queries.ts'
import { normalPassword } from '../users/normalize.ts'
import { userToChange, userWithId } from '../users/queries.ts'

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
  readonly orRecent: boolean
}

export function* askProof(visit: UserVisit, { password, orRecent }: Wanted): Work<Proof> {
  const { signedIn, client, now } = visit
  const user = yield* userWithId(signedIn.userId)
  if (user === undefined) throw new ApiError('unauthorized', 'Sign in first')
  const hash = user.password_hash
  if (hash !== null && password !== undefined) {
    yield* countAttempt(
      [
        { brake: perAccount, whose: user.email_key },
        { brake: perAddress, whose: client.address },
      ],
      now,
    )
    return { hash, given: normalPassword(password) }
  }
  if (hash !== null && !orRecent)
    throw invalid([{ path: 'password', message: 'is required: give that of your account' }])
  if (yield* hasJustSignedIn(signedIn, now)) return { hash, given: null }
  const way = hash === null ? 'Sign out and in again' : 'Give your password, or sign out and in again'
  throw new ApiError('forbidden', `${way}: this takes a sign-in of the last 10 minutes`)
}

export interface Weighed extends Proof {
  readonly isRight: boolean
}

export async function weigh(proof: Proof): Promise<Weighed> {
  const { hash, given } = proof
  return { ...proof, isRight: given === null || (hash !== null && (await isPassword(given, hash))) }
}

/** The user, held until the end of the transaction; refuses who has not proven to be it. */
export function* requireProof(
  { signedIn, client, now }: UserVisit,
  { hash, given, isRight }: Weighed,
): Work<UserTable> {
  if (!isRight) throw invalid([{ path: 'password', message: 'is not right' }])
  const user = yield* userToChange(signedIn.userId)
  if (user === undefined || user.password_hash !== hash) {
    throw new ApiError('conflict', 'The password was changed meanwhile')
  }
  if (given !== null) yield* forgive(user.email_key, client.address, now)
  return user
}
