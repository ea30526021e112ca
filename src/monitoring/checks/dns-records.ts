import type { DnsRecordMemory } from '../monitor-states/memory.ts'
import { type ChangeVerdict, judgeRecords, recordsKey, rememberRecords } from '../monitor-types/dns/record-changes.ts'

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
