import { looksLikeSuffix } from './candidate-names.ts'

/** What a registry, asked by RDAP or WHOIS, says about a name. */

export interface Registered {
  readonly kind: 'registered'
  /** The name that is registered: the host itself or one above it. */
  readonly name: string
  /** Null where the registry does not publish it, as for .de and .eu. */
  readonly expiresAt: number | null
  /** Why the name is as good as lost whatever its date says, in the registry's words. */
  readonly lapsed: string | null
}

/** There is no such registration. `isPlain` when it was said in the protocol's own words and not by some web server. */
export interface NotRegistered {
  readonly kind: 'absent'
  readonly isProtocolAnswer: boolean
}

/** Nobody answers this kind of question for the top-level domain. */
export interface Unserved {
  readonly kind: 'unserved'
}

export interface LookupFailed {
  readonly kind: 'failed'
  readonly reason: string
  /** There was no one to ask, as opposed to someone who did not answer well. */
  readonly isUnreachable: boolean
}

export type RegistryAnswer = Registered | NotRegistered | Unserved | LookupFailed

/** A registry that answers in a way that tells nothing; the message is a sentence for people. */
export class RegistryError extends Error {
  override readonly name = 'RegistryFault'
}

// The registrar has given the name up; who held it can buy it back for a while. Until then it does not resolve.
const LAPSED = /^"?(redemption ?period|redemption|pending ?delete|in quarantine)\b/i

/** Reads one of the status values of a registration. After expiry some registries renew the date by themselves. */
export function lapsedStatus(status: string): string | null {
  return LAPSED.exec(status.trim())?.[1] ?? null
}

/** The registration, unless it is that of a suffix: co.uk exists whether or not example.co.uk is registered. */
export function assertNotSuffix(found: Registered, names: readonly string[]): Registered {
  const [host = ''] = names
  if (found.name === host || !looksLikeSuffix(found.name)) return found
  throw new RegistryError(`${found.name} is registered, which says nothing about ${host}`)
}
