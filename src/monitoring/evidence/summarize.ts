import type { FailureCode } from '../../contract/probe.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/clock.ts'
import { type Reason, type ReasonCode, reason } from '../../reasons/reason.ts'
import {
  changedFields,
  type EvidenceField,
  evidenceFields,
  type Fingerprint,
  isExplained,
  shownValue,
  subjectOf,
} from './fields.ts'
import { type MonitorEvidence, rarityOf, reportableIn } from './history.ts'
import { type EvidenceMemory, type PhaseName, phaseNames } from './track.ts'

/** The first failed check of an incident. */
export interface FirstFailure {
  readonly at: number
  readonly code: FailureCode
  /** Of an old row: a sentence. */
  readonly error: Reason | string
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
  /** What differs in the failed check, then what changed within the hour before. */
  readonly changes: readonly IncidentChange[]
  readonly phases: Readonly<Partial<Record<PhaseName, { readonly typicalMs: number; readonly failedMs: number }>>>
  /** Of an old row: sentences. */
  readonly summary: readonly (Reason | string)[]
}

/** Changes of fields that changed more often come later. */
const RARE_SHARE = 0.01

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
  const changes = changesBefore(stored, memory, failure)
  return { lastGood, firstFailure: failure, changes, phases, summary: summaryOf(changes, stored, memory, failure) }
}

/** What differs in the failed check, then what changed within the hour before; the most telling first. */
function changesBefore(
  stored: MonitorEvidence,
  memory: EvidenceMemory | null,
  failure: FirstFailure,
): readonly IncidentChange[] {
  const { lastGood } = stored
  const now = changedFields(lastGood, failure.fields).map((field) => {
    const [before, after] = [shownValue(field, lastGood), shownValue(field, failure.fields)]
    return { field, before, after, changedAt: failure.at }
  })
  const recent = stored.changes
    .filter(({ at }) => at >= failure.at - HOUR_MS && at <= failure.at)
    // A check can begin in the millisecond in which the one before ended.
    .map(({ at, ...change }) => ({ ...change, changedAt: Math.min(at, failure.at - 1) }))
  const isReportable = reportableIn(stored, memory)
  return [...now, ...recent]
    .filter(({ field }) => isReportable.has(field))
    .map((change) => ({ ...change, rarity: rarityOf(change.field, stored, memory) }))
    .sort(
      (a, b) =>
        Number(b.changedAt === failure.at) - Number(a.changedAt === failure.at) ||
        Number(a.rarity > RARE_SHARE) - Number(b.rarity > RARE_SHARE) ||
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

/** At most three sentences, in the order of the changes. */
function summaryOf(
  changes: readonly IncidentChange[],
  stored: MonitorEvidence,
  memory: EvidenceMemory | null,
  failure: FirstFailure,
): readonly Reason[] {
  const named = changes.filter((change) => isNamed(change, changes) && !isInError(change, failure))
  const sentences = [
    ...named.map((change) => describe(change, changes, failure.at)),
    ...(isUsualKnown(stored, memory) ? slowPhases(memory, failure) : []),
  ]
  if (sentences.length >= MAX_SENTENCES || reportableIn(stored, memory).size === 0)
    return sentences.slice(0, MAX_SENTENCES)
  if (changes.length === named.length) return [...sentences, ...nothingElse(sentences, stored, failure)]
  const isOnlyStatus = changes.length === 1 && sentences.length === 0
  return isOnlyStatus ? [reason('only_status_changed')] : sentences
}

/** What is said if the sentences name all changes. */
function nothingElse(
  sentences: readonly Reason[],
  { since }: MonitorEvidence,
  { at, fields }: FirstFailure,
): readonly Reason[] {
  if (fields.status !== undefined || fields.dns !== undefined) return [reason('nothing_else_changed')]
  // Without a response nobody knows whether the page has changed.
  return sentences.length === 0 && since <= at - HOUR_MS ? [reason('nothing_changed')] : []
}

/** The error of the incident says it already. */
function isInError({ field, changedAt }: IncidentChange, { at, code }: FirstFailure): boolean {
  return field === 'status' && code === 'STATUS' && changedAt === at
}

/** Not if a change at the same time explains it, or is the same fact and stands before it. */
function isNamed(change: IncidentChange, changes: readonly IncidentChange[]): boolean {
  const together = changes.filter(({ changedAt }) => changedAt === change.changedAt)
  if (isExplained(change.field, new Set(together.map(({ field }) => field)))) return false
  const sameFact = together.filter((other) => isSameFact(change, other))
  return !sameFact.some(({ field }) => evidenceFields.indexOf(field) < evidenceFields.indexOf(change.field))
}

/** A new certificate has other names and dates, and a redirect another URL. */
function isSameFact(a: IncidentChange, b: IncidentChange): boolean {
  if (a.changedAt !== b.changedAt) return false
  const subject = subjectOf(a.field)
  return a.field === b.field || (subject !== undefined && subject === subjectOf(b.field))
}

const MAX_SHOWN_CHARS = 80

function describe(change: IncidentChange, changes: readonly IncidentChange[], failedAt: number): Reason {
  const what = whatChanged(change, changes)
  const minutes = Math.round((failedAt - change.changedAt) / MINUTE_MS)
  if (change.changedAt === failedAt) return reason('changed', { change: what })
  return minutes < 1
    ? reason('changed_just_before', { change: what })
    : reason('changed_earlier', { change: what, minutes })
}

function whatChanged(change: IncidentChange, changes: readonly IncidentChange[]): Reason {
  const { field, before, after } = change
  // The value is a checksum.
  if (field === 'text') return reason('text_changed')
  if (field !== 'certificate') {
    const values = { before: shown(field, before), after: shown(field, after) }
    return reason('field_changed', { field: reason(`field_${field}`), ...values })
  }
  const detail = changes.find((other) => other !== change && isSameFact(change, other))
  if (detail === undefined) return reason('certificate_replaced')
  const code = detail.field === 'issuer' ? 'certificate_replaced_issuer' : 'certificate_replaced_names'
  return reason(code, { before: shown(detail.field, detail.before), after: shown(detail.field, detail.after) })
}

/** Texts of people and URLs are quoted, words such as nginx/1.27 are not. */
function shown(field: EvidenceField, value: string): Reason | string {
  if (value === 'none') return reason('none')
  const text = field === 'server' ? value.replace(/^server: /, '') : value
  if (field !== 'title' && /^[\w.:/+-]{1,80}$/.test(text) && !text.includes('//')) return text
  return text.length > MAX_SHOWN_CHARS ? `"${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…"` : `"${text}"`
}

/** The usual length of a phase is a mean, which needs some checks. */
const MIN_CHECKS_OF_PHASES = 20

function isUsualKnown(stored: MonitorEvidence, memory: EvidenceMemory | null): boolean {
  return stored.checks + (memory?.checks ?? 0) >= MIN_CHECKS_OF_PHASES
}

const slowCodes = {
  dnsMs: 'slow_dns',
  connectMs: 'slow_connect',
  tlsMs: 'slow_tls',
  firstByteMs: 'slow_first_byte',
  downloadMs: 'slow_download',
} as const satisfies Readonly<Record<PhaseName, ReasonCode>>
const MIN_SLOWER_MS = 50
/** Multiples of the usual deviation. */
const UNUSUAL = 5

function slowPhases(memory: EvidenceMemory | null, { phases }: FirstFailure): readonly Reason[] {
  return phaseNames
    .flatMap((name) => {
      const [usual, ms] = [memory?.phases[name], phases[name]]
      if (usual === undefined || ms === undefined) return []
      const slowerMs = ms - usual[0]
      if (slowerMs < Math.max(MIN_SLOWER_MS, UNUSUAL * usual[1])) return []
      return [{ slowerMs, why: reason(slowCodes[name], { ms, usual: Math.round(usual[0]) }) }]
    })
    .sort((a, b) => b.slowerMs - a.slowerMs)
    .map(({ why }) => why)
}
