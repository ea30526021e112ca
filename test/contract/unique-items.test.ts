import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duplicateFaults } from '../../src/contract/unique-items.ts'

const message = 'is a duplicate; list it only once'

test('a duplicate names its position and says what to do', () => {
  assert.deepEqual(duplicateFaults('daysOfWeek', [1, 3, 1, 1], 7), [
    { path: 'daysOfWeek.2', message },
    { path: 'daysOfWeek.3', message },
  ])
})

test('objects are compared by one field; those without it are left to the schema', () => {
  const monitors = [{ monitorId: 'mon_1' }, {}, null, {}, { monitorId: 'mon_1', name: 'Shop' }]
  assert.deepEqual(duplicateFaults('monitors', monitors, 10, 'monitorId'), [{ path: 'monitors.4.monitorId', message }])
})

test('a list that the schema rejects as too long gets no further faults', () => {
  assert.deepEqual(duplicateFaults('ids', ['a', 'a', 'a'], 2), [])
})
