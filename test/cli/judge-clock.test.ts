import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeClock } from '../../src/cli/judge-clock.ts'

test('doctor warns of a clock that is more than 2 s off', () => {
  assert.equal(judgeClock(10_000, 12_000).state, 'ok')
  assert.equal(judgeClock(12_000, 10_000).state, 'ok')
  assert.partialDeepStrictEqual(judgeClock(70_000, 10_000), {
    state: 'warning',
    message: 'the clock of this machine is 60 s ahead of the database; synchronize both with NTP',
  })
  assert.match(judgeClock(0, 300_000).message, /300 s behind the database/)
})
