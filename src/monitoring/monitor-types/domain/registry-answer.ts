import type { DomainDetails } from '../../../contract/probe.ts'
import { englishText } from '../../../reasons/english.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import { boundedText } from '../bounded-text.ts'
import { looksLikeSuffix } from './candidate-names.ts'

/** What a registry says about a name, by RDAP or WHOIS. */

export interface Registered {
  readonly kind: 'registered'
  /** The registered name: the host itself or a parent of it. */
  readonly name: string
  /** Null where the registry does not publish it, as for .de and .eu. */
  readonly expiresAt: number | null
  /** The registry's status when the name is being deleted, whatever its date says. */
  readonly lapsed: string | null
  readonly facts: RegistrationFacts
}

/** What people want to know of a registration; checks do not depend on it. */
export type RegistrationFacts = Pick<DomainDetails, 'registrar' | 'registeredAt' | 'nameServers' | 'source'>

const MAX_NAME_SERVERS = 20

/** Name servers in lower case, without duplicates and trailing dots. */
export function nameServerList(names: readonly string[]): string[] {
  const clean = names.map((name) => boundedText(name.toLowerCase().replace(/\.$/, ''))).filter((name) => name !== '')
  return [...new Set(clean)].slice(0, MAX_NAME_SERVERS)
}

/** `isProtocolAnswer`: the answer was a valid RDAP or WHOIS response and not the 404 of some web server. */
export interface NotRegistered {
  readonly kind: 'absent'
  readonly isProtocolAnswer: boolean
}

/** The top-level domain has no server of this protocol. */
interface Unserved {
  readonly kind: 'unserved'
}

export interface LookupFailed {
  readonly kind: 'failed'
  readonly reason: Reason
  /** No server could be reached, as opposed to a server that gave a bad answer. */
  readonly isUnreachable: boolean
}

export type RegistryAnswer = Registered | NotRegistered | Unserved | LookupFailed

/** A registry gave an unusable answer. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
  readonly reason: Reason

  constructor(why: Reason, options?: ErrorOptions) {
    super(englishText(why), options)
    this.reason = why
  }
}

// The registrar has deleted the name. It no longer resolves, but its former owner can still restore it for a while.
const LAPSED = /^"?(redemption ?period|redemption|pending ?delete|in quarantine)\b/i

/** The status, if it means that the name is being deleted. The date does not show that: some registries renew it after expiry. */
export function lapsedStatus(status: string): string | null {
  return LAPSED.exec(status.trim())?.[1] ?? null
}

/** Throws when the registration is that of a public suffix: co.uk exists whether or not example.co.uk is registered. */
export function requireNotSuffix(found: Registered, names: readonly string[]): Registered {
  const [host = ''] = names
  if (found.name === host || !looksLikeSuffix(found.name)) return found
  throw new RegistryError(reason('registry_parent', { parent: found.name, host }))
}
