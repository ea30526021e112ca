import {
  changedFields,
  type EvidenceField,
  evidenceFields,
  type Fingerprint,
  type FingerprintPart,
  partOf,
  shownValue,
} from './fields.ts'
import { comparisonsOf, type EvidenceMemory, type GoodCheck } from './track.ts'

interface EvidenceChange {
  readonly at: number
  readonly field: EvidenceField
  readonly before: string
  readonly after: string
}

/** What is stored of a monitor's good checks. */
export interface MonitorEvidence {
  readonly lastGood: Fingerprint
  /** When the first good check was. */
  readonly since: number
  /** How many good checks there were until `at`. */
  readonly checks: number
  /** When it was last written. Checks since then found the same. */
  readonly at: number
  /** The newest first. */
  readonly changes: readonly EvidenceChange[]
  /** In how many good checks each field was compared, the first one included, and in how many of them it changed. */
  readonly counts: Readonly<Partial<Record<EvidenceField, FieldCounts>>>
}

type FieldCounts = readonly [comparisons: number, changes: number]

const MAX_CHANGES = 50
const VOLATILE_SHARE = 0.05
/** One change alone can be a real one, soon after the monitor was created. */
const MIN_VOLATILE_CHANGES = 2
/** Before, a field that changes at every check may have been the same by chance. */
const MIN_COMPARISONS = 3
/** Then the counts of a field are halved, so that it can become stable again. */
const MAX_COMPARISONS = 2_000
/** The first changes of a field are kept: they may be real ones, soon after the monitor was created. */
const FIRST_CHANGES = 3

/** The evidence after a good check that differs from the last one. */
export function afterGoodCheck(
  stored: MonitorEvidence | null,
  { seen, checks, comparisons }: GoodCheck,
  at: number,
): MonitorEvidence {
  const { lastGood: before, changes, counts, since } = stored ?? { lastGood: {}, changes: [], counts: {}, since: at }
  const changed = changedFields(before, seen)
  const lastGood = { ...before, ...seen }
  const next = {
    ...{ lastGood, since, at, changes, checks: (stored?.checks ?? 0) + checks },
    counts: counted(counts, lastGood, changed, comparisons),
  }
  const isVolatile = volatileIn(next, null)
  const added = changed
    .filter((field) => !isVolatile.has(field) || (next.counts[field]?.[1] ?? 0) <= FIRST_CHANGES)
    .map((field) => ({ at, field, before: shownValue(field, before), after: shownValue(field, seen) }))
  return { ...next, changes: [...added, ...changes].slice(0, MAX_CHANGES) }
}

function counted(
  counts: MonitorEvidence['counts'],
  lastGood: Fingerprint,
  changed: readonly EvidenceField[],
  comparisons: Readonly<Record<FingerprintPart, number>>,
): MonitorEvidence['counts'] {
  const next: Partial<Record<EvidenceField, FieldCounts>> = {}
  for (const field of evidenceFields) {
    if (lastGood[field] === undefined) continue
    const [before, changes] = counts[field] ?? [0, 0]
    // A field that was not there before is new in this check.
    const total = counts[field] === undefined ? 1 : before + comparisons[partOf(field)]
    const counted = [total, changes + (changed.includes(field) ? 1 : 0)] as const
    next[field] = total > MAX_COMPARISONS ? [counted[0] / 2, counted[1] / 2] : counted
  }
  return next
}

type Counts = Pick<MonitorEvidence, 'counts'>

/** `memory` has the comparisons that found no change since the evidence was stored. */
function countsOf(field: EvidenceField, { counts }: Counts, memory: EvidenceMemory | null): FieldCounts {
  const [comparisons, changes] = counts[field] ?? [0, 0]
  return [comparisons + comparisonsOf(memory, partOf(field)), changes]
}

/** The fields that change in more than 5 % of the good checks. */
export function volatileIn(stored: Counts, memory: EvidenceMemory | null): ReadonlySet<EvidenceField> {
  return new Set(
    evidenceFields.filter((field) => {
      const [comparisons, changes] = countsOf(field, stored, memory)
      return changes >= MIN_VOLATILE_CHANGES && changes > VOLATILE_SHARE * comparisons
    }),
  )
}

/** The fields whose changes can be reported: compared often enough, and not volatile. */
export function reportableIn(stored: Counts, memory: EvidenceMemory | null): ReadonlySet<EvidenceField> {
  const isVolatile = volatileIn(stored, memory)
  return new Set(
    evidenceFields.filter((field) => !isVolatile.has(field) && countsOf(field, stored, memory)[0] >= MIN_COMPARISONS),
  )
}

/** In which share of the good checks the field changed. */
export function rarityOf(field: EvidenceField, stored: Counts, memory: EvidenceMemory | null): number {
  const [comparisons, changes] = countsOf(field, stored, memory)
  return changes / Math.max(1, comparisons)
}
