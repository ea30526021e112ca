import type { Sample, Timings } from '../../contract/probe.ts'
import { subnetOf } from '../../outbound/subnet.ts'
import type { Fingerprint } from './fields.ts'

type Conclusive = Exclude<Sample, { outcome: 'inconclusive' }>

export const phaseNames = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs', 'downloadMs'] as const
export type PhaseName = (typeof phaseNames)[number]

/** The usual length of a phase, and how far it usually is from that. */
export type UsualMs = readonly [meanMs: number, deviationMs: number]

/** What the checks of a monitor need to know about the last good one. It is in the state row, which every check writes. */
export interface EvidenceMemory {
  /** Of what the main thread compares. */
  readonly key: string
  /** Of the response, which the probe compares. */
  readonly pageKey: string | null
  /** Good checks that were compared since the stored evidence was written. */
  readonly checks: number
  /** Grows with comparisons that find a change, and shrinks with those that do not. */
  readonly unrest: number
  /** Good checks that are not compared any more before the next one is. */
  readonly skip: number
  readonly phases: Readonly<Partial<Record<PhaseName, UsualMs>>>
}

/** A good check that differs from the last one. */
export interface GoodCheck {
  /** The fields that the check saw; others are as before. */
  readonly seen: Fingerprint
  /** How many checks were compared since the last change, this one included. */
  readonly checks: number
}

/** The probe leaves the page out. */
export const SKIP_PAGE = '*'
/** Pages that change at every request are compared once in so many checks. */
const MAX_SKIP = 32
/** Unrest grows if more than about 6 % of the comparisons find a change. */
const REST = 1 / 8
const RESTLESS = 6
const MAX_UNREST = 14

/** What the probe compares the page with. */
export function knownPage(memory: EvidenceMemory | null): string | undefined {
  if (memory === null) return undefined
  return memory.skip > 0 ? SKIP_PAGE : (memory.pageKey ?? undefined)
}

/** The memory after a good check, and what to store if it differs from the check before. */
export function trackGood(
  before: EvidenceMemory | null,
  sample: Conclusive,
): { readonly memory: EvidenceMemory; readonly good: GoodCheck | null } {
  const key = keyOf(sample)
  const phases = usualPhases(before?.phases ?? {}, sample.timings)
  if (before === null) {
    const memory = { key, pageKey: sample.page?.key ?? null, checks: 0, unrest: 0, skip: 0, phases }
    return { memory, good: { seen: seenBy(sample), checks: 1 } }
  }
  if (before.skip > 0) return { memory: { ...before, phases, skip: before.skip - 1 }, good: null }
  const isSamePage = sample.page === undefined || sample.page.key === before.pageKey
  if (key === before.key && isSamePage) {
    const unrest = Math.max(0, before.unrest - REST)
    return { memory: { ...before, phases, checks: before.checks + 1, unrest }, good: null }
  }
  const unrest = Math.min(MAX_UNREST, before.unrest + 2)
  const memory: EvidenceMemory = {
    key,
    pageKey: sample.page?.key ?? before.pageKey,
    checks: 0,
    unrest,
    skip: unrest < RESTLESS ? 0 : Math.round(MAX_SKIP * 2 ** ((unrest - MAX_UNREST) / 2)),
    phases,
  }
  return { memory, good: { seen: seenBy(sample), checks: before.checks + 1 } }
}

/** Cheap: every check computes it. */
function keyOf({ ip, certificate, statusCode, records }: Conclusive): string {
  const found = records === undefined ? '' : `|${[...records].sort().join().slice(0, 200)}`
  return `${ip ?? ''}|${certificate?.fingerprint.slice(0, 23) ?? ''}|${statusCode ?? ''}${found}`
}

/** The fields that a check saw. Those of a certificate's details only if they are not stored yet. */
export function seenBy({ ip, certificate, statusCode, records, details, page }: Conclusive): Fingerprint {
  const found = details?.found.kind === 'certificate' ? details.found : undefined
  return {
    ...page?.fields,
    ...(ip !== undefined && { address: ip, network: subnetOf(ip, 48) }),
    ...(certificate !== undefined && { certificate: certificate.fingerprint }),
    ...(found !== undefined && {
      issuer: found.issuer,
      certificateNames: [...found.names].sort().slice(0, 20).join(', '),
      ...(found.protocol !== null && { tlsVersion: found.protocol }),
    }),
    ...(statusCode !== undefined && { status: String(statusCode) }),
    ...(records !== undefined && { dns: [...records].sort().slice(0, 20).join(', ').slice(0, 300) }),
  }
}

/** Exponential means: the last 16 checks or so count. */
const WEIGHT = 1 / 16

function usualPhases(before: EvidenceMemory['phases'], timings: Timings | undefined): EvidenceMemory['phases'] {
  if (timings === undefined) return before
  const phases: Partial<Record<PhaseName, UsualMs>> = { ...before }
  for (const name of phaseNames) {
    const ms = timings[name]
    if (ms === undefined) continue
    const [mean, deviation] = before[name] ?? [ms, 0]
    const off = Math.abs(ms - mean)
    phases[name] = [rounded(mean + (ms - mean) * WEIGHT), rounded(deviation + (off - deviation) * WEIGHT)]
  }
  return phases
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
