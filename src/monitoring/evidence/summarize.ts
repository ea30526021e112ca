import type { FailureCode } from '../../contract/probe.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/clock.ts'
import { changedFields, type EvidenceField, evidenceFields, type Fingerprint, isExplained, labelOf } from './fields.ts'
import { MIN_CHECKS, type MonitorEvidence, rarityOf, volatileIn } from './history.ts'
import { type EvidenceMemory, type PhaseName, phaseNames } from './track.ts'

/** The first failed check of an incident. */
export interface FirstFailure {
  readonly at: number
  readonly code: FailureCode
  readonly error: string
  /** What it saw. */
  readonly fields: Fingerprint
  readonly phases: Readonly<Partial<Record<PhaseName, number>>>
}

interface IncidentChange {
  readonly field: EvidenceField
  readonly before: string
  readonly after: string
  readonly changedAt: number
  /** In which share of the good checks the field changed. */
  readonly rarity: number
}

/** What an incident keeps of its opening. */
export interface IncidentEvidence {
  /** Null if no check succeeded before. */
  readonly lastGood: { readonly at: number; readonly fields: Fingerprint } | null
  readonly firstFailure: FirstFailure
  /** The most unusual one first. */
  readonly changes: readonly IncidentChange[]
  readonly phases: Readonly<Partial<Record<PhaseName, { readonly typicalMs: number; readonly failedMs: number }>>>
  readonly summary: readonly string[]
}

/** `lastGoodAt`: when the last good check ended. */
export function incidentEvidence(
  stored: MonitorEvidence | null,
  memory: EvidenceMemory | null,
  lastGoodAt: number | null,
  failure: FirstFailure,
): IncidentEvidence {
  const phases = comparedPhases(memory, failure)
  const nothing = { firstFailure: failure, changes: [], phases, summary: [] }
  if (stored === null || lastGoodAt === null) return { lastGood: null, ...nothing }
  const lastGood = { at: lastGoodAt, fields: stored.lastGood }
  const pending = memory?.checks ?? 0
  if (stored.checks + pending < MIN_CHECKS) return { lastGood, ...nothing }
  const changes = changesBefore(stored, pending, failure)
  return { lastGood, firstFailure: failure, changes, phases, summary: summaryOf(changes, memory, failure) }
}

function changesBefore(stored: MonitorEvidence, pending: number, failure: FirstFailure): readonly IncidentChange[] {
  const isVolatile = volatileIn(stored, pending)
  const { lastGood } = stored
  const now = changedFields(lastGood, failure.fields).map((field) => {
    return { field, before: lastGood[field] ?? '', after: failure.fields[field] ?? '', changedAt: failure.at }
  })
  const recent = stored.changes
    .filter(({ at }) => at >= failure.at - HOUR_MS && at <= failure.at)
    .map(({ at, ...change }) => ({ ...change, changedAt: at }))
  return [...now, ...recent]
    .filter(({ field }) => !isVolatile.has(field))
    .map((change) => ({ ...change, rarity: rarityOf(change.field, stored, pending) }))
    .sort(
      (a, b) =>
        a.rarity - b.rarity ||
        b.changedAt - a.changedAt ||
        evidenceFields.indexOf(a.field) - evidenceFields.indexOf(b.field),
    )
}

function comparedPhases(memory: EvidenceMemory | null, { phases }: FirstFailure): IncidentEvidence['phases'] {
  const compared = phaseNames.flatMap((name) => {
    const [typical, failedMs] = [memory?.phases[name]?.[0], phases[name]]
    return typical === undefined || failedMs === undefined
      ? []
      : [[name, { typicalMs: Math.round(typical), failedMs }] as const]
  })
  return Object.fromEntries(compared)
}

const MAX_SENTENCES = 3

/** At most three sentences, the most unusual change first. */
function summaryOf(
  changes: readonly IncidentChange[],
  memory: EvidenceMemory | null,
  failure: FirstFailure,
): readonly string[] {
  const together = Map.groupBy(changes, ({ changedAt }) => changedAt)
  const isNamed = ({ field, changedAt }: IncidentChange) =>
    // The error names the status already.
    (field === 'status' && failure.code === 'STATUS') ||
    isExplained(field, new Set(together.get(changedAt)?.map((other) => other.field)))
  const sentences = [
    ...changes.filter((change) => !isNamed(change)).map((change) => describe(change, failure.at)),
    ...slowPhases(memory, failure),
  ]
  if (sentences.length >= MAX_SENTENCES) return sentences.slice(0, MAX_SENTENCES)
  // Without a response nobody knows whether the page has changed.
  const hasResponse = failure.fields.status !== undefined || failure.fields.dns !== undefined
  const nothing = hasResponse
    ? 'Nothing else changed.'
    : sentences.length === 0
      ? 'Nothing changed in the hour before.'
      : null
  return nothing === null ? sentences : [...sentences, nothing]
}

const MAX_SHOWN_CHARS = 80

function describe({ field, before, after, changedAt }: IncidentChange, failedAt: number): string {
  const minutes = Math.round((failedAt - changedAt) / MINUTE_MS)
  const when = changedAt === failedAt ? '' : minutes < 1 ? ' just before' : ` ${minutes} min before`
  const subject = `The ${labelOf(field)}`
  if (field === 'certificate') return `${subject} was replaced${when}.`
  // The value is a checksum.
  if (field === 'text') return `${subject} changed${when}.`
  return `${subject} changed${when} from ${shown(before)} to ${shown(after)}.`
}

function shown(value: string): string {
  return value.length > MAX_SHOWN_CHARS ? `"${value.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…"` : `"${value}"`
}

const phaseLabels: Readonly<Record<PhaseName, string>> = {
  dnsMs: 'The DNS lookup',
  connectMs: 'Connecting',
  tlsMs: 'The TLS handshake',
  firstByteMs: 'The first byte',
  downloadMs: 'The download',
}
const MIN_SLOWER_MS = 50
/** Multiples of the usual deviation. */
const UNUSUAL = 5

function slowPhases(memory: EvidenceMemory | null, { phases }: FirstFailure): readonly string[] {
  return phaseNames
    .flatMap((name) => {
      const [usual, ms] = [memory?.phases[name], phases[name]]
      if (usual === undefined || ms === undefined) return []
      const slowerMs = ms - usual[0]
      if (slowerMs < Math.max(MIN_SLOWER_MS, UNUSUAL * usual[1])) return []
      return [{ slowerMs, text: `${phaseLabels[name]} took ${ms} ms instead of ${Math.round(usual[0])} ms.` }]
    })
    .sort((a, b) => b.slowerMs - a.slowerMs)
    .map(({ text }) => text)
}
