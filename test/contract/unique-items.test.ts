import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultFor } from '../../src/contract/errors.ts'
import { duplicateFaults } from '../../src/contract/unique-items.ts'
import { reason } from '../../src/reasons/reason.ts'

const fault = (path: string) => faultFor(path, reason('duplicate'))

test('a duplicate names its position and says what to do', () => {
  assert.deepEqual(duplicateFaults('daysOfWeek', [1, 3, 1, 1], 7), [fault('daysOfWeek.2'), fault('daysOfWeek.3')])
})

test('objects are compared by one field; those without it are left to the schema', () => {
  const monitors = [{ monitorId: 'mon_1' }, {}, null, {}, { monitorId: 'mon_1', name: 'Shop' }]
  assert.deepEqual(duplicateFaults('monitors', monitors, 10, 'monitorId'), [fault('monitors.4.monitorId')])
})

test('a list that the schema rejects as too long gets no further faults', () => {
  assert.deepEqual(duplicateFaults('ids', ['a', 'a', 'a'], 2), [])
})
