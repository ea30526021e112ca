import type { Sample } from '../../../contract/probe.ts'
import { type Clock, MINUTE_MS, systemClock } from '../../../lib/clock.ts'
import { utcDateText } from '../../../lib/timestamp.ts'
import { OutboundError } from '../../../outbound/errors.ts'
import type { Guard } from '../../../outbound/guard.ts'
import { type Attempt, type Failure, failureOf, sampleOfError, startAttempt, successOf } from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'
import { endpointOf } from '../ssl/probe.ts'
import { candidatesOf, mostLikelyName } from './candidate-names.ts'
import { createRegistrationLookup, endOf, type Finding, type RegistrationLookup } from './registration-lookup.ts'
import { IANA, type WhoisRoot } from './whois.ts'

/** What the DOMAIN probe needs. The lookup caches its findings. */
export interface DomainTools extends NetworkTools {
  readonly registrations: RegistrationLookup
  readonly clock: Clock
}

export interface DomainOptions {
  readonly guard: Guard
  /** URL of the list of RDAP servers. */
  readonly rdapBootstrap: string
  /** The first WHOIS server to ask; IANA's by default. */
  readonly whois?: WhoisRoot
  readonly clock?: Clock
}

export function createDomainTools(options: DomainOptions): DomainTools {
  const { guard, rdapBootstrap, whois = IANA, clock = systemClock } = options
  return { guard, clock, registrations: createRegistrationLookup({ rdapBootstrap, whois }, { guard }, clock) }
}

/**
 * A domain is up until its registration expires. Asks RDAP, then WHOIS, at most twice a day while all is well. Where the
 * registry publishes no date, being registered is enough. A failed lookup is inconclusive.
 */
export const probeDomain: Probe<DomainTools> = async (target, { registrations, clock }, signal) => {
  const attempt = startAttempt(target, signal)
  const host = endpointOf(target.url)?.host ?? ''
  const names = candidatesOf(host)
  try {
    if (names.length === 0) {
      const subject = host === '' ? 'The monitor URL' : host
      return failureOf(attempt, failure(`${subject} is not a domain name`))
    }
    const isRefresh = target.isManual === true && !isLookedUpRecently(target.knownDetails, clock.now())
    const finding = await registrations.find(names, target.timeoutMs, attempt.signal, isRefresh)
    return judge(finding, names, attempt, clock.now())
  } catch (error) {
    return error instanceof OutboundError ? inconclusive(names, error.message) : sampleOfError(attempt, error)
  } finally {
    attempt.end()
  }
}

function judge(finding: Finding, names: readonly string[], attempt: Attempt, now: number): Sample {
  if (finding.kind === 'failed') return inconclusive(names, finding.reason)
  if (finding.kind === 'absent') return failureOf(attempt, failure(`${mostLikelyName(names)} is not registered`))
  const { name, expiresAt, lapsed } = finding
  const expiry = expiresAt === null ? '' : new Date(expiresAt).toISOString()
  observeDetails(attempt, finding)
  // Expiry warnings work as for certificates: one per fingerprint.
  if (expiresAt !== null) attempt.observed.certificate = { fingerprint: `${name} ${expiry}`, expiresAt }
  if (lapsed !== null) return failureOf(attempt, failure(`The registration of ${name} has lapsed (${lapsed})`))
  if (expiresAt !== null && now >= endOf(expiresAt)) {
    return failureOf(attempt, failure(`The registration of ${name} expired on ${utcDateText(expiresAt)}`))
  }
  return successOf(attempt)
}

/** Also by another thread or node: the key of the stored details is the time of their look-up. */
function isLookedUpRecently(knownDetails: string | undefined, now: number): boolean {
  return knownDetails !== undefined && now - Number.parseInt(knownDetails, 36) < MINUTE_MS
}

/** Each thread has its own cache, so only a later lookup than the stored one is worth writing. */
function observeDetails(attempt: Attempt, finding: Extract<Finding, { kind: 'registered' }>): void {
  const { name, expiresAt, lookedUpAt, facts } = finding
  const key = lookedUpAt.toString(36)
  if (attempt.knownDetails !== undefined && Number.parseInt(attempt.knownDetails, 36) >= lookedUpAt) return
  attempt.observed.details = { key, found: { kind: 'domain', name, expiresAt, lookedUpAt, ...facts } }
}

function failure(error: string): Failure {
  return { code: 'DOMAIN', kind: 'content', error }
}

function inconclusive(names: readonly string[], why: string): Sample {
  return { outcome: 'inconclusive', reason: `Could not look up the registration of ${mostLikelyName(names)}: ${why}` }
}
