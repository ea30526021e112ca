import type { DetailsChange } from '../monitor-details/types.ts'
import { recordsKey } from '../monitor-types/dns/record-changes.ts'
import type { Claim } from './claim.ts'
import type { TrackedRecords } from './dns-records.ts'
import type { ConclusiveSample } from './judge.ts'

/** After the key of records that a failed check found. */
const FAILED = '!'

/** The key for the probe, which leaves out details with this key. */
export function knownDetails({ memory }: Pick<Claim, 'memory'>): string | undefined {
  return memory.details ?? undefined
}

/**
 * What to store of this sample for the monitor page; null for most checks, which find what is stored. `known` is the key in
 * the monitor's memory, `tracked` what was found out about the DNS records of a successful check.
 */
export function detailsToStore(
  known: string | null,
  { outcome, records, details }: ConclusiveSample,
  tracked: Pick<TrackedRecords, 'verdict' | 'key'>,
): DetailsChange | null {
  if (records === undefined) return details === undefined ? null : { ...details, kind: 'found' }
  const isFailure = outcome === 'failure'
  const { verdict } = tracked
  const key = tracked.key ?? recordsKey(records)
  const stored = isFailure ? key + FAILED : key
  if (stored === known && verdict !== 'changed') return null
  // A failed check was repeated, so its records are confirmed; likewise those that follow it.
  const isConfirmed = isFailure || known?.endsWith(FAILED) === true
  const differs = known !== null && known.replace(FAILED, '') !== key
  return { kind: 'records', key: stored, records, verdict: isConfirmed ? (differs ? 'changed' : 'same') : verdict }
}
