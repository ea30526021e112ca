import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../../src/lib/clock.ts'
import { addOngoing } from '../../../../src/notifications/contacts/chain/add-ongoing.ts'
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

test('outages that go on follow the news', () => {
  const old = alert({ subject: 'Blog' })
  const entries = addOngoing(arrangeEntries([alert()], { flapping: [], ongoing: [] }), [old])
  assert.deepEqual(
    entries.map(({ state }) => state),
    ['down', 'still_down'],
  )
})

test('the chain postpones first and chooses then', () => {
  const flaps = pendingAlert({ monitorId: 'mon_f' })
  const other = pendingAlert()
  assert.deepEqual(takeDue(holdFlapping([flaps, other], [flapping()], AT), AT), [other])
})
