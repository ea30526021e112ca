import type { DnsRecordMemory } from '../monitor-states/memory.ts'
import { judgeRecords, recordsKey, rememberRecords } from '../probes/dns/record-changes.ts'

/** Whether a DNS monitor's records changed, and what to remember of them. */
export function trackDnsRecords(
  memory: DnsRecordMemory | null,
  records: readonly string[] | undefined,
  now: number,
): { memory: DnsRecordMemory | null; changed: boolean } {
  if (records === undefined) return { memory, changed: false }
  const key = recordsKey(records)
  const history = memory?.history ?? []
  const verdict = judgeRecords(history, memory?.previous ?? null, key, now)
  return {
    memory: {
      history: rememberRecords(history, key, now),
      previous: { recordsKey: key, wasCandidate: verdict === 'candidate' },
    },
    changed: verdict === 'changed',
  }
}
