import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../../src/lib/clock.ts'
import { arrangeEntries } from '../../../../src/notifications/contacts/chain/chain.ts'
import { holdFlapping } from '../../../../src/notifications/contacts/chain/hold-flapping.ts'
import { takeDue } from '../../../../src/notifications/contacts/chain/take-due.ts'
import { AT, alert, flapping, pendingAlert } from '../send.ts'

test('a message contains alerts that are due, and all of a message that failed', () => {
  const fresh = pendingAlert()
  const held = pendingAlert({ dueAt: AT + 1 })
  const released = pendingAlert({ at: AT - MINUTE_MS, dueAt: AT })
  const repeated = pendingAlert({ messageId: 'ntc_1', dueAt: AT + MINUTE_MS })
  assert.deepEqual(takeDue([fresh, held, released, repeated], AT), [fresh, released, repeated])
})

test('an outage that ended before the next one of the same monitor is past', () => {
  const own = { monitorId: 'mon_1', subject: 'Blog' }
  const ended = alert({ ...own, kind: 'resolved', incidentId: 'inc_1' })
  const next = alert({ ...own, incidentId: 'inc_2', at: AT + MINUTE_MS })
  const other = alert({ kind: 'resolved' })
  assert.deepEqual(
    arrangeEntries([ended, next, other], []).map(({ state, isPast = false }) => [state, isPast]),
    [
      ['down', false],
      ['up', true],
      ['up', false],
    ],
  )
  const slow = alert({ ...own, kind: 'degraded', incidentId: null, at: AT + MINUTE_MS })
  assert.ok(
    arrangeEntries([ended, slow], []).every(({ isPast }) => isPast === undefined),
    'it is up, and slow',
  )
})

test('the chain postpones first and chooses then', () => {
  const flaps = pendingAlert({ monitorId: 'mon_f' })
  const other = pendingAlert()
  assert.deepEqual(takeDue(holdFlapping([flaps, other], [flapping()], AT), AT), [other])
})
