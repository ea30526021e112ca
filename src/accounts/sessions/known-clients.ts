import type { Client, SignedInUser } from '../../contract/app-operation.ts'
import type { HashingTurn } from '../../lib/passwords.ts'
import type { DbWork } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import type { PasswordAttempt } from './attempt-limits.ts'
import { hasSignedInFrom } from './known-networks.ts'

interface ClassifiedAttempt {
  readonly attempt: PasswordAttempt
  readonly turn: HashingTurn
}

/**
 * How an attempt to sign in is counted and where its password waits. A browser or an address that has signed in to the account before
 * is counted by itself and has its own lane, so that attempts from elsewhere neither block nor delay it.
 */
export function* classifyAttempt(
  account: string,
  user: Pick<UserTable, 'id'> | undefined,
  { address, knownBrowsers }: Client,
  now: number,
): DbWork<ClassifiedAttempt> {
  const isKnownNetwork = yield* hasSignedInFrom(user?.id ?? '', address, now)
  const browser = user && knownBrowsers().find(({ userId }) => userId === user.id)
  if (user !== undefined && browser !== undefined) {
    return {
      attempt: { account, address, source: { kind: 'known', id: browser.id } },
      turn: { lane: 'known', key: user.id },
    }
  }
  if (user !== undefined && isKnownNetwork) {
    return {
      attempt: { account, address, source: { kind: 'knownNetwork' } },
      turn: { lane: 'knownNetwork', key: user.id },
    }
  }
  return { attempt: { account, address, source: { kind: 'unknown' } }, turn: { lane: 'unknown', key: address } }
}

/** The same for a user who is signed in: guesses in an unattended browser are counted by session. */
export function signedInAttempt(
  user: Pick<UserTable, 'id' | 'email_key'>,
  { sessionId }: SignedInUser,
  { address }: Client,
): ClassifiedAttempt {
  return {
    attempt: { account: user.email_key, address, source: { kind: 'known', id: sessionId } },
    turn: { lane: 'known', key: user.id },
  }
}
