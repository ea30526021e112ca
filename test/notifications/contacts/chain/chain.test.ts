import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../../src/lib/clock.ts'
import { arrangeEntries, takeDue } from '../../../../src/notifications/contacts/chain/chain.ts'
import { groupAlerts } from '../../../../src/notifications/contacts/chain/group-alerts.ts'
import { holdFlapping } from '../../../../src/notifications/contacts/chain/hold-flapping.ts'
import { mergeFlapping } from '../../../../src/notifications/contacts/chain/merge-flapping.ts'
import type { Flapping } from '../../../../src/notifications/contacts/flapping.ts'
import { composeMessage } from '../../../../src/notifications/contacts/message.ts'
import type { Alert, PendingAlert } from '../../../../src/notifications/contacts/types.ts'
import { AT, alert, FROM, flapping, pendingAlert } from '../send.ts'

test('a message contains alerts that are due, and all of a message that failed', () => {
  const fresh = pendingAlert()
  const held = pendingAlert({ dueAt: AT + 1 })
  const released = pendingAlert({ at: AT - MINUTE_MS, dueAt: AT })
  const repeated = pendingAlert({ messageId: 'ntc_1', dueAt: AT + MINUTE_MS })
  assert.deepEqual(takeDue([fresh, held, released, repeated], AT), [fresh, released, repeated])
})

test('outages that go on follow the news', () => {
  const entries = arrangeEntries([alert()], { flapping: [], ongoing: [alert({ subject: 'Blog' })] })
  assert.deepEqual(
    entries.map(({ state }) => state),
    ['down', 'still_down'],
  )
})

/** An alert of the flapping monitor. */
const own = (fields: Partial<PendingAlert> = {}) => pendingAlert({ monitorId: 'mon_f', ...fields })

/** When each alert is due. */
const due = (alerts: readonly PendingAlert[], one: Flapping): readonly number[] =>
  holdFlapping(alerts, [one], AT).map(({ dueAt }) => dueAt)

test('alerts of a flapping monitor wait until five minutes after the last message about it', () => {
  assert.deepEqual(due([own(), pendingAlert()], flapping()), [AT + 3 * MINUTE_MS, AT])
  assert.deepEqual(due([own()], flapping({ lastMessageAt: AT - 5 * MINUTE_MS })), [AT])
  assert.deepEqual(due([own()], flapping({ lastMessageAt: null })), [AT])
  assert.deepEqual(due([own({ kind: 'certificate_expiring' })], flapping()), [AT])
  assert.deepEqual(due([own({ messageId: 'ntc_1' })], flapping()), [AT], 'its message is repeated')
})

test('a degradation that flaps does not delay an outage', () => {
  const slow = flapping({ outages: 1, degradations: 3 })
  const degraded = own({ kind: 'degraded', incidentId: null })
  assert.deepEqual(due([degraded], slow), [AT + 3 * MINUTE_MS])
  assert.deepEqual(due([degraded, own()], slow), [AT, AT])
})

test('the problems of a flapping monitor are one line with its current state', () => {
  const summary = (alerts: readonly Alert[], one = flapping()): string =>
    composeMessage({ alerts, ongoing: [], flapping: [one], from: FROM, at: AT }).title
  const ended = Array.from({ length: 3 }, (_, i) => own({ endedAt: AT + i + 10, at: AT + i }))
  const entries = mergeFlapping(groupAlerts([...ended, alert({ subject: 'Blog' })]), [flapping()])
  assert.deepEqual(
    entries.map(({ state, alerts }) => [state, alerts.length]),
    [
      ['down', 1],
      ['up', 3],
    ],
  )
  assert.equal(summary(ended), 'Checkout went down 6 times in 20 minutes, is up now')
  assert.equal(summary([...ended, own()]), 'Checkout went down 6 times in 20 minutes, is down now')
  const mixed = flapping({ outages: 1, degradations: 3, since: AT - 20_000 })
  const text = 'Checkout went down once and was degraded 3 times in 1 minute, is degraded now'
  assert.equal(summary([own({ kind: 'degraded', incidentId: null })], mixed), text)
})
