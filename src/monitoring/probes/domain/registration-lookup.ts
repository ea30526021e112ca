import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { startDeadline } from '../../../outbound/deadline.ts'
import { OutboundError } from '../../../outbound/errors.ts'
import type { NetworkTools } from '../attempt.ts'
import { createCache, createSingleFlight } from './cache.ts'
import { looksLikeSuffix, mostLikelyName } from './candidate-names.ts'
import { askRdap } from './rdap.ts'
import { createBootstrap } from './rdap-bootstrap.ts'
import {
  type LookupFailed,
  type NotRegistered,
  type Registered,
  type RegistryAnswer,
  RegistryError,
} from './registry-answer.ts'
import { createWhois, type WhoisRoot } from './whois.ts'

const GOOD_NEWS_MS = 12 * HOUR_MS
/** Who has just renewed a name wants to see it; who cannot be asked now is not asked at every check. */
const BAD_NEWS_MS = 5 * MINUTE_MS
const MAX_REMEMBERED = 20_000
/** RDAP's share of the time, so that a silent server leaves some for WHOIS. */
const RDAP_SHARE = 0.6

export type Finding = Registered | NotRegistered | LookupFailed

/** Who is registered until when, with a memory. */
export interface RegistrationLookup {
  /** Takes the names that a host may be registered under. Throws the signal's reason when it is no time-out. */
  find(names: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Finding>
}

export interface Sources {
  readonly rdapBootstrap: string
  readonly whois: WhoisRoot
}

export function createRegistrationLookup(sources: Sources, tools: NetworkTools, clock: Clock): RegistrationLookup {
  const bootstrap = createBootstrap(sources.rdapBootstrap, tools, clock)
  const whois = createWhois(sources.whois, tools, clock)
  const remembered = createCache<Finding>(MAX_REMEMBERED, clock)
  const turns = createSingleFlight()

  // A registration answers for every host below it.
  const recall = (names: readonly string[]): Finding | undefined => {
    for (const name of names) {
      const finding = name === names[0] || !looksLikeSuffix(name) ? remembered.get(name) : undefined
      if (finding !== undefined && (name === names[0] || finding.kind === 'registered')) return finding
    }
    return undefined
  }
  const lookUp = async (names: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Finding> => {
    const rdap = await attempt(timeoutMs * RDAP_SHARE, signal, (own) => askRdap(names, bootstrap, tools, own))
    if (rdap.kind === 'registered' && (rdap.expiresAt !== null || rdap.lapsed !== null)) return rdap
    const open = rdap.kind === 'registered' ? [rdap.name] : names
    return combineAnswers(rdap, await attempt(timeoutMs, signal, (own) => whois.ask(open, own)))
  }
  return {
    find(names, timeoutMs, signal) {
      const work = async () => {
        const finding = await lookUp(names, timeoutMs, signal)
        const key = finding.kind === 'registered' ? finding.name : (names[0] ?? '')
        remembered.set(key, finding, lifeOf(finding, clock.now()))
        return finding
      }
      return turns.take(mostLikelyName(names), signal, { recall: () => recall(names), work })
    },
  }
}

/** A look-up whose faults are an answer too, want of time among them; only being called off is none. */
async function attempt(
  timeoutMs: number,
  signal: AbortSignal,
  ask: (own: AbortSignal) => Promise<RegistryAnswer>,
): Promise<RegistryAnswer> {
  using deadline = startDeadline(timeoutMs, signal)
  try {
    return await ask(deadline.signal)
  } catch (error) {
    if (error instanceof RegistryError) return { kind: 'failed', reason: error.message, isUnreachable: false }
    if (!(error instanceof OutboundError)) throw error
    const isUnreachable = !error.isLocalFault && (error.code === 'CONNECT' || error.code === 'DNS')
    return { kind: 'failed', reason: error.message, isUnreachable }
  }
}

/** Two answers made one. That a name is not registered must be certain before anyone is woken up for it. */
export function combineAnswers(rdap: RegistryAnswer, whois: RegistryAnswer): Finding {
  if (rdap.kind === 'registered') {
    if (whois.kind === 'failed') return { ...whois, reason: `RDAP gives no date; WHOIS: ${whois.reason}` }
    return whois.kind === 'registered' ? { ...whois, name: rdap.name } : rdap
  }
  if (whois.kind === 'registered') return whois
  const reasons = `RDAP: ${inWords(rdap)}; WHOIS: ${inWords(whois)}`
  const unsure: LookupFailed = { kind: 'failed', reason: reasons, isUnreachable: false }
  if (rdap.kind === 'failed') return unsure
  if (rdap.kind === 'unserved') return whois.kind === 'absent' ? whois : unsure
  // Registries may switch WHOIS off now that they have RDAP, so a server that is gone is no doubt.
  const isGone = whois.kind === 'failed' && whois.isUnreachable && rdap.isProtocolAnswer
  return whois.kind === 'failed' && !isGone ? unsure : rdap
}

function inWords(answer: Exclude<RegistryAnswer, Registered>): string {
  switch (answer.kind) {
    case 'absent':
      return 'not registered'
    case 'unserved':
      return 'no server for this top-level domain'
    case 'failed':
      return answer.reason
  }
}

function lifeOf(finding: Finding, now: number): number {
  if (finding.kind !== 'registered' || finding.lapsed !== null) return BAD_NEWS_MS
  if (finding.expiresAt === null) return GOOD_NEWS_MS
  const leftMs = endOf(finding.expiresAt) - now
  return leftMs > 0 ? Math.min(GOOD_NEWS_MS, leftMs) : BAD_NEWS_MS
}

/** When a registration is over. A midnight stands for a day whose hour nobody told: the name is good until it ends. */
export function endOf(expiresAt: number): number {
  return expiresAt % DAY_MS === 0 ? expiresAt + DAY_MS : expiresAt
}
