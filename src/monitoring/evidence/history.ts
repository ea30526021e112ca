import { changedFields, type EvidenceField, evidenceFields, type Fingerprint } from './fields.ts'
import type { GoodCheck } from './track.ts'

interface EvidenceChange {
  readonly at: number
  readonly field: EvidenceField
  readonly before: string
  readonly after: string
}

/** What is stored of a monitor's good checks. */
export interface MonitorEvidence {
  readonly lastGood: Fingerprint
  /** When it was last written. Checks since then found the same. */
  readonly at: number
  /** The newest first. */
  readonly changes: readonly EvidenceChange[]
  /** How many good checks were compared, and how often each field changed. */
  readonly checks: number
  readonly counts: Readonly<Partial<Record<EvidenceField, number>>>
}

const MAX_CHANGES = 50
const VOLATILE_SHARE = 0.05
/** Before, it is not known what is volatile: one change would be more than 5 % of the checks. */
export const MIN_CHECKS = 1 / VOLATILE_SHARE
/** Then all counts are halved, so that a page can become stable again. */
const MAX_CHECKS = 2_000
/** The first changes of a field are kept: they may be real ones, soon after the monitor was created. */
const FIRST_CHANGES = 3

/** The evidence after a good check that differs from the last one. */
export function afterGoodCheck(
  stored: MonitorEvidence | null,
  { seen, checks }: GoodCheck,
  at: number,
): MonitorEvidence {
  if (stored === null) return { lastGood: seen, at, changes: [], checks, counts: {} }
  const changed = changedFields(stored.lastGood, seen)
  const counts = { ...stored.counts }
  for (const field of changed) counts[field] = (counts[field] ?? 0) + 1
  const next = { lastGood: { ...stored.lastGood, ...seen }, at, checks: stored.checks + checks, counts }
  const isVolatile = volatileIn(next)
  const added = changed
    .filter((field) => !isVolatile.has(field) || (counts[field] ?? 0) <= FIRST_CHANGES)
    .map((field) => ({ at, field, before: stored.lastGood[field] ?? '', after: seen[field] ?? '' }))
  const halved = next.checks > MAX_CHECKS ? halve(next) : next
  return { ...halved, changes: [...added, ...stored.changes].slice(0, MAX_CHANGES) }
}

type Counts = Pick<MonitorEvidence, 'checks' | 'counts'>

function halve<C extends Counts>(of: C): C {
  const counts = Object.fromEntries(Object.entries(of.counts).map(([field, count]) => [field, count / 2]))
  return { ...of, checks: of.checks / 2, counts }
}

/** The fields that change in more than 5 % of the good checks. `pending` checks found no change and are not counted yet. */
export function volatileIn({ checks, counts }: Counts, pending = 0): ReadonlySet<EvidenceField> {
  return new Set(evidenceFields.filter((field) => (counts[field] ?? 0) > VOLATILE_SHARE * (checks + pending)))
}

/** In which share of the good checks the field changed. */
export function rarityOf(field: EvidenceField, { checks, counts }: Counts, pending = 0): number {
  return (counts[field] ?? 0) / Math.max(1, checks + pending)
}
