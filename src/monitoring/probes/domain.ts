import { type Clock, systemClock } from '../../lib/clock.ts'
import { OutboundError } from '../../outbound/errors.ts'
import type { Guard } from '../../outbound/guard.ts'
import { candidatesOf, likeliestOf } from './domain/names.ts'
import { createRegistrations, endOf, type Finding, type Registrations } from './domain/registrations.ts'
import { IANA, type WhoisRoot } from './domain/whois.ts'
import type { Probe, Sample } from './probe.ts'
import { endpointOf } from './ssl.ts'
import { type Failure, failed, type NetworkTools, startVisit, stopped, succeeded, type Visit } from './tools.ts'

/** What the DOMAIN probe needs. Its memory lives as long as these tools do. */
export interface DomainTools extends NetworkTools {
  readonly registrations: Registrations
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
  return { guard, clock, registrations: createRegistrations({ rdapBootstrap, whois }, { guard }, clock) }
}

/**
 * A domain is up while its registration lasts: asked by RDAP, then by WHOIS, at most twice a day while all is well.
 * Where the registry publishes no date, being registered is enough. A look-up that fails says nothing.
 */
export const probeDomain: Probe<DomainTools> = async (target, { registrations, clock }, signal) => {
  using visit = startVisit(target.timeoutMs, signal)
  const host = endpointOf(target.url)?.host ?? ''
  const names = candidatesOf(host)
  if (names.length === 0) {
    const subject = host === '' ? 'The address of the monitor' : host
    return failed(visit, { code: 'DOMAIN', kind: 'content', error: `${subject} is not a domain name` })
  }
  try {
    return judge(await registrations.find(names, target.timeoutMs, visit.signal), names, visit, clock.now())
  } catch (error) {
    return error instanceof OutboundError ? unknown(names, error.message) : stopped(visit, error)
  }
}

function judge(finding: Finding, names: readonly string[], visit: Visit, now: number): Sample {
  if (finding.kind === 'failed') return unknown(names, finding.reason)
  if (finding.kind === 'absent') return failed(visit, lost(`${likeliestOf(names)} is not registered`))
  const { name, expiresAt, lapsed } = finding
  if (expiresAt !== null) {
    visit.seen.certificate = { fingerprint: `${name} ${new Date(expiresAt).toISOString()}`, expiresAt }
  }
  if (lapsed !== null) return failed(visit, lost(`The registration of ${name} has lapsed (${lapsed})`))
  if (expiresAt !== null && now >= endOf(expiresAt)) {
    return failed(
      visit,
      lost(`The registration of ${name} expired on ${new Date(expiresAt).toISOString().slice(0, 10)}`),
    )
  }
  return succeeded(visit)
}

const lost = (error: string): Failure => ({ code: 'DOMAIN', kind: 'content', error })

function unknown(names: readonly string[], why: string): Sample {
  return { outcome: 'inconclusive', reason: `The registration of ${likeliestOf(names)} is not known: ${why}` }
}
