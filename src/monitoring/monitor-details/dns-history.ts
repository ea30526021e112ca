import { boundedText } from '../monitor-types/bounded-text.ts'
import type { DnsChange, DnsDetails, RecordsChange } from './types.ts'

const MAX_CHANGES = 50
const MAX_RECORDS = 100
const MAX_CHANGED_VALUES = 20
const MAX_VALUE_CHARACTERS = 300
/** Of the history as JSON; the oldest changes go first. */
const MAX_HISTORY_CHARACTERS = 20_000

/** The details after a check that found these records. */
export function dnsDetailsAfter(stored: DnsDetails | null, change: RecordsChange, at: number): DnsDetails {
  const records = change.records.slice(0, MAX_RECORDS).map((value) => boundedText(value, MAX_VALUE_CHARACTERS))
  if (stored === null) return { kind: 'dns', records, before: null, changes: [] }
  const before = stored.before ?? stored.records
  if (change.verdict === 'candidate') return { ...stored, records, before }
  if (change.verdict === 'same') return { ...stored, records, before: null }
  return { kind: 'dns', records, before: null, changes: withChange(stored.changes, before, records, at) }
}

function withChange(
  changes: readonly DnsChange[],
  before: readonly string[],
  after: readonly string[],
  at: number,
): readonly DnsChange[] {
  const added = after.filter((value) => !before.includes(value)).slice(0, MAX_CHANGED_VALUES)
  const removed = before.filter((value) => !after.includes(value)).slice(0, MAX_CHANGED_VALUES)
  if (added.length === 0 && removed.length === 0) return changes
  const kept = [{ at, added, removed }, ...changes].slice(0, MAX_CHANGES)
  while (kept.length > 1 && JSON.stringify(kept).length > MAX_HISTORY_CHARACTERS) kept.pop()
  return kept
}
