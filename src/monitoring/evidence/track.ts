import type { Sample, Timings } from '../../contract/probe.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { subnetOf } from '../../outbound/subnet.ts'
import { evidenceFields, type Fingerprint, type FingerprintPart, fingerprintParts, partOf } from './fields.ts'
import { pageKeyOf, pageKeysIn, SKIPPED } from './page.ts'

type Conclusive = Exclude<Sample, { outcome: 'inconclusive' }>

export const phaseNames = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs', 'downloadMs'] as const
export type PhaseName = (typeof phaseNames)[number]

/** The usual length of a phase, and how far it usually is from that. */
export type UsualMs = readonly [meanMs: number, deviationMs: number]

/** What the checks need to know of one part of the last good check. */
export interface PartMemory {
  readonly key: string
  /** Grows with comparisons that find a change, and shrinks with those that do not. */
  readonly changeScore: number
  /** Good checks in which the part is not compared any more before it is again. */
  readonly skip: number
  /** Good checks in which it was not compared since the stored evidence was written. */
  readonly skipped: number
}

/** What the checks of a monitor need to know about the last good one. It is in the state row, which every check writes. */
export interface EvidenceMemory {
  /** In the order of `fingerprintParts`. */
  readonly parts: readonly PartMemory[]
  /** Good checks since the stored evidence was written. */
  readonly checks: number
  readonly phases: Readonly<Partial<Record<PhaseName, UsualMs>>>
}

/** A good check that differs from the last one. */
export interface GoodCheck {
  /** The fields that the check saw and compared; others are as before. */
  readonly seen: Fingerprint
  /** Good checks since the last change, this one included. */
  readonly checks: number
  /** In how many of them each part was compared. */
  readonly comparisons: Readonly<Record<FingerprintPart, number>>
}

/** Parts that change at every request are compared once in so many checks. */
const MAX_SKIP = 32
/** The score grows if more than about 6 % of the comparisons find a change. */
const SCORE_OF_CHANGE = 2
const SCORE_OF_SAME = -1 / 8
const SKIP_FROM_SCORE = 6
const MAX_SCORE = 14

const FIRST_PAGE_PART = fingerprintParts.indexOf('dns')

/** In how many good checks the part was compared since the stored evidence was written. */
export function comparisonsOf(memory: EvidenceMemory | null, part: FingerprintPart): number {
  if (memory === null) return 0
  return memory.checks - (memory.parts[fingerprintParts.indexOf(part)]?.skipped ?? 0)
}

/** What the probe compares the page with. */
export function knownPage(memory: EvidenceMemory | null): string | undefined {
  if (memory === null) return undefined
  return pageKeyOf(memory.parts.slice(FIRST_PAGE_PART).map(({ key, skip }) => (skip > 0 ? SKIPPED : key)))
}

/** The memory after a good check, and what to store if it differs from the check before. */
export function trackGood(
  before: EvidenceMemory | null,
  sample: Conclusive,
): { readonly memory: EvidenceMemory; readonly good: GoodCheck | null } {
  const phases = usualPhases(before?.phases ?? {}, sample.timings)
  const keys = keysOf(before, sample)
  const checks = (before?.checks ?? 0) + 1
  const isSame = before?.parts.every(({ key, skip }, i) => skip > 0 || key === keys[i])
  const isSettled = isSame && before?.parts.every(({ changeScore }) => changeScore === 0)
  if (before !== null && isSettled) return { memory: { parts: before.parts, checks, phases }, good: null }
  const parts = keys.map((key, i) => partAfter(before?.parts[i], key))
  if (isSame) return { memory: { parts, checks, phases }, good: null }
  const comparisons = Object.fromEntries(
    fingerprintParts.map((part, i) => [part, checks - (parts[i]?.skipped ?? 0)]),
  ) as GoodCheck['comparisons']
  const memory = { parts: parts.map((part) => ({ ...part, skipped: 0 })), checks: 0, phases }
  return { memory, good: { seen: comparedIn(before, seenBy(sample)), checks, comparisons } }
}

function partAfter(before: PartMemory | undefined, key: string): PartMemory {
  if (before === undefined) return { key, changeScore: 0, skip: 0, skipped: 0 }
  if (before.skip > 0) return { ...before, skip: before.skip - 1, skipped: before.skipped + 1 }
  if (before.key === key) {
    return before.changeScore === 0
      ? before
      : { ...before, changeScore: Math.max(0, before.changeScore + SCORE_OF_SAME) }
  }
  const changeScore = Math.min(MAX_SCORE, before.changeScore + SCORE_OF_CHANGE)
  const skip = changeScore < SKIP_FROM_SCORE ? 0 : Math.round(MAX_SKIP * 2 ** ((changeScore - MAX_SCORE) / 2))
  return { key, changeScore, skip, skipped: before.skipped }
}

/** The keys of the parts. Cheap: every check computes it. */
function keysOf(before: EvidenceMemory | null, { ip, certificate, statusCode, records, page }: Conclusive): string[] {
  const known = () => before?.parts.slice(FIRST_PAGE_PART).map(({ key }) => key) ?? []
  const [dns = '', head = '', title = '', body = ''] = page === undefined ? known() : pageKeysIn(page.key)
  return [
    ip ?? '',
    `${certificate?.fingerprint.slice(0, 23) ?? ''}|${statusCode ?? ''}`,
    records === undefined ? dns : [...records].sort().join().slice(0, 200),
    head,
    title,
    body,
  ]
}

/** Without the fields of parts that are not compared in this check. */
function comparedIn(before: EvidenceMemory | null, seen: Fingerprint): Fingerprint {
  const skipped = new Set(fingerprintParts.filter((_, i) => (before?.parts[i]?.skip ?? 0) > 0))
  if (skipped.size === 0) return seen
  const compared = { ...seen }
  for (const field of evidenceFields) if (skipped.has(partOf(field))) delete compared[field]
  return compared
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
      certificateDates: `${dayOf(found.validFrom)} to ${dayOf(found.validTo)}`,
      ...(found.protocol !== null && { tlsVersion: found.protocol }),
    }),
    ...(statusCode !== undefined && { status: String(statusCode) }),
    ...(records !== undefined && { dns: [...records].sort().slice(0, 20).join(', ').slice(0, 300) }),
  }
}

function dayOf(at: number | null): string {
  return at === null ? '?' : isoTimestamp(at).slice(0, 10)
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
