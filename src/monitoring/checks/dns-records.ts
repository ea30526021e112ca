import type { RecordMemory } from '../monitor-states/memory.ts'
import { judgeRecords, recordsKey, rememberRecords } from '../probes/dns/record-changes.ts'

/** Whether a DNS monitor's records have changed for good, and what is to be remembered of them. */
export function watchRecords(
  memory: RecordMemory | null,
  records: readonly string[] | undefined,
  now: number,
): { memory: RecordMemory | null; changed: boolean } {
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
