import type { DetailsChange } from '../monitor-details/types.ts'
import type { DnsRecordMemory } from '../monitor-states/memory.ts'
import { type ChangeVerdict, judgeRecords, recordsKey, rememberRecords } from '../monitor-types/dns/record-changes.ts'
import type { ConclusiveSample } from './judge.ts'

export interface TrackedRecords {
  readonly memory: DnsRecordMemory | null
  readonly verdict: ChangeVerdict
  /** Null if the check did not succeed. */
  readonly key: string | null
}

/** Whether a DNS monitor's records changed, and what to remember of them. */
export function trackDnsRecords(
  memory: DnsRecordMemory | null,
  records: readonly string[] | undefined,
  now: number,
): TrackedRecords {
  if (records === undefined) return { memory, verdict: 'same', key: null }
  const key = recordsKey(records)
  const history = memory?.history ?? []
  const verdict = judgeRecords(history, memory?.previous ?? null, key, now)
  return {
    memory: {
      history: rememberRecords(history, key, now),
      previous: { recordsKey: key, wasCandidate: verdict === 'candidate' },
    },
    verdict,
    key,
  }
}

/** After the key of records that a failed check found. */
const FAILED = '!'

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
