import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type ChangeVerdict,
  judgeRecords,
  type PreviousRecordSet,
  recordsKey,
  rememberRecords,
  type SeenRecordSet,
} from '../../../../src/monitoring/monitor-types/dns/record-changes.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

interface Check {
  readonly key: string
  readonly at: number
}

/** What an engine does: judges each check by what it keeps, and keeps what the next one needs. */
function judgeAll(checks: readonly Check[]): ChangeVerdict[] {
  let history: readonly SeenRecordSet[] = []
  let previous: PreviousRecordSet | null = null
  return checks.map(({ key, at }) => {
    const verdict = judgeRecords(history, previous, key, at)
    history = rememberRecords(history, key, at)
    previous = { recordsKey: key, wasCandidate: verdict === 'candidate' }
    return verdict
  })
}

/** One check a minute, a letter each. */
const minutely = (keys: string) => judgeAll([...keys].map((key, i) => ({ key, at: i * 60_000 }))).join(' ')

test('the first set is not a change', () => {
  assert.equal(minutely('AAA'), 'same same same')
})

test('a new set is a change once it was seen twice in a row, and is reported once', () => {
  assert.equal(minutely('AABBBB'), 'same same candidate changed same same')
})

test('a new set that is gone at the next check is not a change', () => {
  assert.equal(minutely('AABAA'), 'same same candidate same same')
})

test('a name that rotates through its sets raises no further changes', () => {
  assert.equal(minutely('ABCABCBBCCAA'), `same candidate candidate${' same'.repeat(9)}`)
})

test('a return to an earlier set is a change only after a day', () => {
  const at = (hours: number, key: string) => ({ key, at: hours * HOUR })
  const soon = [at(0, 'A'), at(1, 'B'), at(2, 'B'), at(24, 'A'), at(25, 'A')]
  assert.deepEqual(judgeAll(soon), ['same', 'candidate', 'changed', 'same', 'same'])
  const late = [at(0, 'A'), at(1, 'B'), at(2, 'B'), at(24.1, 'A'), at(25, 'A')]
  assert.deepEqual(judgeAll(late), ['same', 'candidate', 'changed', 'candidate', 'changed'])
})

test('a set that is the same after a long pause has not changed', () => {
  const checks = [0, 1, 30 * DAY, 30 * DAY + 1].map((at) => ({ key: 'A', at }))
  assert.deepEqual(judgeAll(checks), ['same', 'same', 'same', 'same'])
})

test('every verdict equals that of a slow reference implementation', () => {
  const step = fc.record({
    key: fc.constantFrom('A', 'B', 'C', 'D'),
    waitMs: fc.constantFrom(60_000, HOUR, 11 * HOUR, DAY, DAY + 1),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now = 0
      const checks = steps.map(({ key, waitMs }) => {
        now += waitMs
        return { key, at: now }
      })
      const isNew = (i: number) => {
        const check = checks[i]
        const before = checks.slice(0, i)
        if (check === undefined || before.length === 0 || before.at(-1)?.key === check.key) return false
        return !before.some(({ key, at }) => key === check.key && check.at - at <= DAY)
      }
      const expected = checks.map(({ key }, i) => {
        if (isNew(i)) return 'candidate'
        return checks[i - 1]?.key === key && isNew(i - 1) ? 'changed' : 'same'
      })
      assert.deepEqual(judgeAll(checks), expected)
    }),
    { numRuns: 1000 },
  )
})

test('the history is bounded and keeps the newest sets', () => {
  let history: SeenRecordSet[] = []
  for (let i = 0; i < 1000; i++) history = rememberRecords(history, `set ${i}`, i)
  assert.equal(history.length, 200)
  assert.deepEqual(history[0], { recordsKey: 'set 999', lastSeenAt: 999 })
  assert.deepEqual(rememberRecords(history, 'set 999', DAY + 2000), [{ recordsKey: 'set 999', lastSeenAt: DAY + 2000 }])
})

test('different sets have different keys', () => {
  const sets = fc.array(fc.string(), { maxLength: 4 })
  fc.assert(
    fc.property(sets, sets, (one, other) => {
      const areEqual = JSON.stringify(one) === JSON.stringify(other)
      assert.equal(recordsKey(one) === recordsKey(other), areEqual)
    }),
  )
  assert.notEqual(recordsKey(['a,b']), recordsKey(['a', 'b']))
})
