import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StateCache } from '../../../src/monitoring/checks/state-cache.ts'
import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import type { StateUpdate } from '../../../src/monitoring/monitor-states/save.ts'
import { newState } from '../../../src/monitoring/monitor-states/state.ts'

const REVISION = 3

function updateOf(num: number, revision = REVISION): StateUpdate {
  const common = {
    orgId: 'org_1',
    fields: newState,
    memory: readMemory('{}', 0),
    nextCheckAt: null,
    openIncident: null,
  }
  return { ...common, num, revision, editionIncrement: 0, unassign: 0 }
}

test('the latest state of a monitor is returned', () => {
  const cache = new StateCache()
  cache.set(updateOf(7))
  const latest = updateOf(7, REVISION + 1)
  cache.set(latest)
  assert.equal(cache.get(7, REVISION + 2), latest)
})

test('a state is returned only for the revision that writing it made', () => {
  const cache = new StateCache()
  cache.set(updateOf(7))
  assert.equal(cache.get(7, REVISION), undefined)
  assert.equal(cache.get(7, REVISION + 2), undefined)
  assert.equal(cache.get(8, REVISION + 1), undefined)
  assert.notEqual(cache.get(7, REVISION + 1), undefined)
})

test('of more states than fit, most are kept from one round to the next', () => {
  const cache = new StateCache()
  const nums = Array.from({ length: 60_000 }, (_, num) => num)
  for (const num of nums) cache.set(updateOf(num))
  const known = nums.filter((num) => cache.get(num, REVISION + 1) !== undefined).length
  assert.equal(known, 50_000, 'as many as fit')
  let hits = 0
  for (const num of nums) {
    if (cache.get(num, REVISION + 1) !== undefined) hits += 1
    cache.set(updateOf(num))
  }
  assert.ok(hits > 0.7 * nums.length, `${hits} of ${nums.length} were found`)
})
