import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsToStore, trackDnsRecords } from '../../../src/monitoring/checks/dns-records.ts'
import { dnsDetailsAfter } from '../../../src/monitoring/monitor-details/dns-history.ts'
import type { DetailsChange, DnsDetails } from '../../../src/monitoring/monitor-details/types.ts'
import type { DnsRecordMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { words } from '../../support/reasons.ts'

const MINUTE = 60_000

/** Runs checks that find these sets, a minute apart; "!" before a set means that the check failed. */
function after(...sets: readonly (readonly string[])[]): { details: DnsDetails | null; writes: number } {
  let memory: DnsRecordMemory | null = null
  let key: string | null = null
  let details: DnsDetails | null = null
  let writes = 0
  for (const [i, set] of sets.entries()) {
    const failed = set[0] === '!'
    const records = failed ? set.slice(1) : set
    const tracked = trackDnsRecords(memory, failed ? undefined : records, i * MINUTE)
    memory = tracked.memory
    const observed = { records, responseMs: 1 }
    const change: DetailsChange | null = failed
      ? detailsToStore(
          key,
          { outcome: 'failure', code: 'DNS_MISMATCH', kind: 'content', error: words(''), ...observed },
          tracked,
        )
      : detailsToStore(key, { outcome: 'success', ...observed }, tracked)
    if (change?.kind !== 'records') continue
    writes += 1
    key = change.key
    details = dnsDetailsAfter(details, change, i * MINUTE)
  }
  return { details, writes }
}

test('records that stay the same are written once', () => {
  const { details, writes } = after(['a'], ['a'], ['a'])
  assert.deepEqual([details?.records, details?.changes, writes], [['a'], [], 1])
})

test('a change that two checks saw is in the history with what was added and removed', () => {
  const { details } = after(['a', 'b'], ['b', 'c'], ['b', 'c'])
  assert.deepEqual(details?.records, ['b', 'c'])
  assert.deepEqual(details?.changes, [{ at: 2 * MINUTE, added: ['c'], removed: ['a'] }])
})

test('a name that rotates through its addresses has no history, and its latest records are known', () => {
  const { details } = after(['a'], ['b'], ['a'], ['b'], ['b'], ['a'], ['b'])
  assert.deepEqual([details?.records, details?.changes], [['b'], []])
})

test('a change is compared with the last confirmed records, not with others seen once', () => {
  assert.deepEqual(after(['a'], ['x'], ['c'], ['c']).details?.changes, [
    { at: 3 * MINUTE, added: ['c'], removed: ['a'] },
  ])
})

test('records that a check did not expect are in the history at once, and so is the way back', () => {
  const { details, writes } = after(['a'], ['!', 'b'], ['!', 'b'], ['a'], ['a'])
  assert.deepEqual(details?.changes, [
    { at: 3 * MINUTE, added: ['a'], removed: ['b'] },
    { at: MINUTE, added: ['b'], removed: ['a'] },
  ])
  assert.equal(writes, 3)
})

test('the history is bounded in number and size', () => {
  const sets = Array.from({ length: 200 }, (_, i) => [`${i}`])
  const { details } = after(...sets.flatMap((set) => [set, set]))
  assert.equal(details?.changes.length, 50)
  assert.deepEqual(details?.changes[0]?.added, ['199'])
  const large = Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 200 }, (_, j) => `${i} ${j} ${'x'.repeat(2000)}`),
  )
  const text = JSON.stringify(after(...large.flatMap((set) => [set, set])).details)
  assert.ok(text.length < 70_000, `${text.length} characters`)
})
