import { type Clock, MINUTE_MS, systemClock } from '../../../lib/clock.ts'
import { parseHostAndPort } from '../../../lib/host.ts'
import { isoTimestamp } from '../../../lib/timestamp.ts'
import { OutboundError } from '../../../outbound/errors.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import { type Attempt, type Failure, makeAttempt } from '../attempt.ts'
import type { Probe } from '../definition.ts'
import { candidatesOf, mostLikelyName } from './candidate-names.ts'
import { createRegistrationLookup, endOf, type Finding, type RegistrySources } from './registration-lookup.ts'

export function createDomainTools(sources: RegistrySources, clock: Clock = systemClock) {
  return { findRegistration: createRegistrationLookup(sources, clock), clock }
}

/**
 * A domain is up until its registration expires. Asks RDAP, then WHOIS, at most twice a day while all is well. Where the
 * registry publishes no date, being registered is enough. A failed lookup is inconclusive.
 */
export const probeDomain: Probe<ReturnType<typeof createDomainTools>> = (target, { findRegistration, clock }, signal) =>
  makeAttempt(target, signal, async (attempt) => {
    const host = parseHostAndPort(target.url ?? '')?.host ?? ''
    const names = candidatesOf(host)
    if (names.length === 0) return failure(host === '' ? reason('no_domain') : reason('not_a_domain', { host }))
    const isRefresh = target.isManual === true && !isLookedUpRecently(target.knownDetails, clock.now())
    try {
      const finding = await findRegistration(names, target.timeoutMs, attempt.signal, isRefresh)
      if (finding.kind === 'failed') return inconclusive(names, finding.reason)
      if (finding.kind === 'absent') return failure(reason('domain_free', { domain: mostLikelyName(names) }))
      return judge(finding, attempt, clock.now())
    } catch (error) {
      if (error instanceof OutboundError) return inconclusive(names, error.reason)
      throw error
    }
  })

type Found = Extract<Finding, { kind: 'registered' }>

function judge(finding: Found, attempt: Attempt, now: number): Failure | null {
  const { name, expiresAt, lapsed } = finding
  const expiry = expiresAt === null ? '' : new Date(expiresAt).toISOString()
  observeDetails(attempt, finding)
  // Expiry warnings work as for certificates: one per fingerprint.
  if (expiresAt !== null) attempt.observed.certificate = { fingerprint: `${name} ${expiry}`, expiresAt }
  if (lapsed !== null) return failure(reason('domain_lapsed', { domain: name, status: lapsed }))
  if (expiresAt === null || now < endOf(expiresAt)) return null
  return failure(reason('domain_expired', { domain: name, at: isoTimestamp(expiresAt) }))
}

/** Also by another thread or node: the key of the stored details is the time of their look-up. */
function isLookedUpRecently(knownDetails: string | undefined, now: number): boolean {
  return knownDetails !== undefined && now - Number.parseInt(knownDetails, 36) < MINUTE_MS
}

/** Each thread has its own cache, so only a later lookup than the stored one is worth writing. */
function observeDetails(attempt: Attempt, finding: Found): void {
  const { name, expiresAt, lookedUpAt, facts } = finding
  const key = lookedUpAt.toString(36)
  if (attempt.knownDetails !== undefined && Number.parseInt(attempt.knownDetails, 36) >= lookedUpAt) return
  attempt.observed.details = { key, found: { kind: 'domain', name, expiresAt, lookedUpAt, ...facts } }
}

function failure(error: Reason): Failure {
  return { code: 'DOMAIN', kind: 'content', error }
}

function inconclusive(names: readonly string[], cause: Reason) {
  const why = reason('domain_not_looked_up', { domain: mostLikelyName(names), cause })
  return { outcome: 'inconclusive', reason: why } as const
}
