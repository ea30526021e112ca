import type { Sample } from '../../contract/probe.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { OutboundError } from '../../outbound/errors.ts'
import type { Guard } from '../../outbound/guard.ts'
import {
  type Attempt,
  type Failure,
  failureOf,
  type NetworkTools,
  sampleOfError,
  startAttempt,
  successOf,
} from './attempt.ts'
import { candidatesOf, mostLikelyName } from './domain/candidate-names.ts'
import { createRegistrationLookup, endOf, type Finding, type RegistrationLookup } from './domain/registration-lookup.ts'
import { IANA, type WhoisRoot } from './domain/whois.ts'
import type { Probe } from './probe.ts'
import { endpointOf } from './ssl.ts'

/** What the DOMAIN probe needs. Its memory lives as long as these tools do. */
export interface DomainTools extends NetworkTools {
  readonly registrations: RegistrationLookup
  readonly clock: Clock
}

export interface DomainOptions {
  readonly guard: Guard
  /** Address of the list of RDAP servers. */
  readonly rdapBootstrap: string
  /** Where WHOIS begins; IANA's server by default. */
  readonly whois?: WhoisRoot
  readonly clock?: Clock
}

export function createDomainTools(options: DomainOptions): DomainTools {
  const { guard, rdapBootstrap, whois = IANA, clock = systemClock } = options
  return { guard, clock, registrations: createRegistrationLookup({ rdapBootstrap, whois }, { guard }, clock) }
}

/**
 * A domain is up while its registration lasts: asked by RDAP, then by WHOIS, at most twice a day while all is well.
 * Where the registry publishes no date, being registered is enough. A look-up that fails says nothing.
 */
export const probeDomain: Probe<DomainTools> = async (target, { registrations, clock }, signal) => {
  using visit = startAttempt(target.timeoutMs, signal)
  const host = endpointOf(target.url)?.host ?? ''
  const names = candidatesOf(host)
  if (names.length === 0) {
    const subject = host === '' ? 'The address of the monitor' : host
    return failureOf(visit, { code: 'DOMAIN', kind: 'content', error: `${subject} is not a domain name` })
  }
  try {
    return judge(await registrations.find(names, target.timeoutMs, visit.signal), names, visit, clock.now())
  } catch (error) {
    return error instanceof OutboundError ? unknown(names, error.message) : sampleOfError(visit, error)
  }
}

function judge(finding: Finding, names: readonly string[], visit: Attempt, now: number): Sample {
  if (finding.kind === 'failed') return unknown(names, finding.reason)
  if (finding.kind === 'absent') return failureOf(visit, lost(`${mostLikelyName(names)} is not registered`))
  const { name, expiresAt, lapsed } = finding
  if (expiresAt !== null) {
    visit.observed.certificate = { fingerprint: `${name} ${new Date(expiresAt).toISOString()}`, expiresAt }
  }
  if (lapsed !== null) return failureOf(visit, lost(`The registration of ${name} has lapsed (${lapsed})`))
  if (expiresAt !== null && now >= endOf(expiresAt)) {
    return failureOf(
      visit,
      lost(`The registration of ${name} expired on ${new Date(expiresAt).toISOString().slice(0, 10)}`),
    )
  }
  return successOf(visit)
}

const lost = (error: string): Failure => ({ code: 'DOMAIN', kind: 'content', error })

function unknown(names: readonly string[], why: string): Sample {
  return { outcome: 'inconclusive', reason: `The registration of ${mostLikelyName(names)} is not known: ${why}` }
}
