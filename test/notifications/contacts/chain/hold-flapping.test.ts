import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../../src/lib/clock.ts'
import { holdFlapping } from '../../../../src/notifications/contacts/chain/hold-flapping.ts'
import type { Flapping } from '../../../../src/notifications/contacts/flapping.ts'
import { AT, flapping, pendingAlert } from '../send.ts'

const own = (fields: Parameters<typeof pendingAlert>[0] = {}) => pendingAlert({ monitorId: 'mon_f', ...fields })

/** When each alert is due. */
const due = (alerts: Parameters<typeof holdFlapping>[0], one: Flapping): readonly number[] =>
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
