import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { startDeadline } from '../../../outbound/deadline.ts'
import { OutboundError } from '../../../outbound/errors.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import type { NetworkTools } from '../definition.ts'
import { createCache } from './cache.ts'
import { looksLikeSuffix, mostLikelyName } from './candidate-names.ts'
import { askRdap } from './rdap.ts'
import { createBootstrap } from './rdap-bootstrap.ts'
import {
  type LookupFailed,
  type NotRegistered,
  type Registered,
  type RegistrationFacts,
  type RegistryAnswer,
  RegistryError,
} from './registry-answer.ts'
import { createSingleFlight } from './single-flight.ts'
import { createWhois, IANA, type WhoisRoot } from './whois.ts'

const GOOD_LIFETIME_MS = 12 * HOUR_MS
/** Short, so that a renewal shows soon; long enough not to query an unreachable server at every check. */
const BAD_LIFETIME_MS = 5 * MINUTE_MS
const MAX_CACHED = 20_000
const REFRESH_INTERVAL_MS = MINUTE_MS
/** RDAP's share of the timeout; the rest is left for WHOIS. */
const RDAP_SHARE = 0.6

export type Finding = (Registered & { readonly lookedUpAt: number }) | NotRegistered | LookupFailed

type Answer = Registered | NotRegistered | LookupFailed

export interface RegistrySources extends NetworkTools {
  /** URL of the list of RDAP servers. */
  readonly rdapBootstrap: string
  /** The first WHOIS server to ask; IANA's by default. */
  readonly whois?: WhoisRoot
}

/**
 * Takes the names that a host may be registered under. A refresh looks the registration up again, unless another refresh did so
 * within the last minute. Throws the signal's reason, unless it is a timeout.
 */
type FindRegistration = (
  names: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
  isRefresh: boolean,
) => Promise<Finding>

/** Looks up registrations and caches them. */
export function createRegistrationLookup(sources: RegistrySources, clock: Clock): FindRegistration {
  const findServer = createBootstrap(sources.rdapBootstrap, sources, clock)
  const askWhois = createWhois(sources.whois ?? IANA, sources, clock)
  const cache = createCache<Finding>(MAX_CACHED, clock)
  const refreshes = createCache<true>(MAX_CACHED, clock)
  const singleFlight = createSingleFlight()

  const mayRefresh = (name: string): boolean => {
    if (refreshes.get(name) !== undefined) return false
    refreshes.set(name, true, REFRESH_INTERVAL_MS)
    return true
  }

  // A registration holds for every host below it.
  const cached = (names: readonly string[]): Finding | undefined => {
    for (const name of names) {
      const finding = name === names[0] || !looksLikeSuffix(name) ? cache.get(name) : undefined
      if (finding !== undefined && (name === names[0] || finding.kind === 'registered')) return finding
    }
    return undefined
  }
  const lookUp = async (names: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Answer> => {
    const rdap = await attempt(timeoutMs * RDAP_SHARE, signal, (own) => askRdap(names, findServer, sources, own))
    if (rdap.kind === 'registered' && (rdap.expiresAt !== null || rdap.lapsed !== null)) return rdap
    const whoisNames = rdap.kind === 'registered' ? [rdap.name] : names
    return combineAnswers(rdap, await attempt(timeoutMs, signal, (own) => askWhois(whoisNames, own)))
  }
  return (names, timeoutMs, signal, isRefresh) => {
    const likely = mostLikelyName(names)
    let isCacheUsed = !(isRefresh && mayRefresh(likely))
    const work = async () => {
      const answer = await lookUp(names, timeoutMs, signal)
      const finding = answer.kind === 'registered' ? { ...answer, lookedUpAt: clock.now() } : answer
      // A refresh that fails leaves what is known.
      if (finding.kind === 'failed' && cached(names)?.kind === 'registered') return finding
      const key = finding.kind === 'registered' ? finding.name : (names[0] ?? '')
      cache.set(key, finding, lifetimeOf(finding, clock.now()))
      return finding
    }
    const known = (): Finding | undefined => {
      if (isCacheUsed) return cached(names)
      // After waiting for another look-up, its result is new enough.
      isCacheUsed = true
      return undefined
    }
    return singleFlight(likely, signal, { cached: known, work })
  }
}

/** Turns errors into answers, timeouts included; only a cancellation is thrown. */
async function attempt(
  timeoutMs: number,
  signal: AbortSignal,
  ask: (own: AbortSignal) => Promise<RegistryAnswer>,
): Promise<RegistryAnswer> {
  using deadline = startDeadline(timeoutMs, signal)
  try {
    return await ask(deadline.signal)
  } catch (error) {
    if (error instanceof RegistryError) return { kind: 'failed', reason: error.reason, isUnreachable: false }
    if (!(error instanceof OutboundError)) throw error
    const isUnreachable = !error.isLocalFault && (error.code === 'CONNECT' || error.code === 'DNS')
    return { kind: 'failed', reason: error.reason, isUnreachable }
  }
}

/** Combines both answers. A name counts as not registered only when that is certain, because it raises an alert. */
function combineAnswers(rdap: RegistryAnswer, whois: RegistryAnswer): Answer {
  if (rdap.kind === 'registered') {
    if (whois.kind === 'failed') return { ...whois, reason: reason('rdap_without_date', { cause: whois.reason }) }
    return whois.kind === 'registered' ? { ...whois, name: rdap.name, facts: merged(whois.facts, rdap.facts) } : rdap
  }
  if (whois.kind === 'registered') return whois
  const reasons = reason('rdap_and_whois', { rdap: describe(rdap), whois: describe(whois) })
  const uncertain: LookupFailed = { kind: 'failed', reason: reasons, isUnreachable: false }
  if (rdap.kind === 'failed') return uncertain
  if (rdap.kind === 'unserved') return whois.kind === 'absent' ? whois : uncertain
  // Registries may switch WHOIS off now that they have RDAP, so an unreachable WHOIS server raises no doubt.
  const isGone = whois.kind === 'failed' && whois.isUnreachable && rdap.isProtocolAnswer
  return whois.kind === 'failed' && !isGone ? uncertain : rdap
}

/** WHOIS had the date; RDAP may know the rest better. */
function merged(whois: RegistrationFacts, rdap: RegistrationFacts): RegistrationFacts {
  return {
    registrar: whois.registrar ?? rdap.registrar,
    registeredAt: whois.registeredAt ?? rdap.registeredAt,
    nameServers: whois.nameServers.length > 0 ? whois.nameServers : rdap.nameServers,
    source: 'WHOIS',
  }
}

function describe(answer: Exclude<RegistryAnswer, Registered>): Reason {
  switch (answer.kind) {
    case 'absent':
      return reason('registry_free')
    case 'unserved':
      return reason('registry_unserved')
    case 'failed':
      return answer.reason
  }
}

function lifetimeOf(finding: Answer, now: number): number {
  if (finding.kind !== 'registered' || finding.lapsed !== null) return BAD_LIFETIME_MS
  if (finding.expiresAt === null) return GOOD_LIFETIME_MS
  const leftMs = endOf(finding.expiresAt) - now
  return leftMs > 0 ? Math.min(GOOD_LIFETIME_MS, leftMs) : BAD_LIFETIME_MS
}

/** When a registration ends. Midnight usually means a date without a time: then the name is valid until that day ends. */
export function endOf(expiresAt: number): number {
  return expiresAt % DAY_MS === 0 ? expiresAt + DAY_MS : expiresAt
}
