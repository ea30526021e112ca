import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { holdFlapping } from '../../../src/notifications/contacts/hold-flapping.ts'
import type { Alert } from '../../../src/notifications/contacts/types.ts'
import { AT, alert, flapping } from './send.ts'

const own = (fields: Partial<Alert> = {}) => alert({ monitorId: 'mon_f', ...fields })

test('alerts of a flapping monitor wait until five minutes after the last message about it', () => {
  const down = own()
  assert.deepEqual(holdFlapping([down, alert()], [flapping()], AT), [{ alert: down, until: AT + 3 * MINUTE_MS }])
  assert.deepEqual(holdFlapping([down], [flapping({ lastMessageAt: AT - 5 * MINUTE_MS })], AT), [])
  assert.deepEqual(holdFlapping([down], [flapping({ lastMessageAt: null })], AT), [])
  assert.deepEqual(holdFlapping([own({ kind: 'certificate_expiring' })], [flapping()], AT), [])
})

test('a degradation that flaps does not delay an outage', () => {
  const slow = flapping({ outages: 1, degradations: 3 })
  const degraded = own({ kind: 'degraded', incidentId: null })
  assert.equal(holdFlapping([degraded], [slow], AT).length, 1)
  assert.equal(holdFlapping([degraded, own()], [slow], AT).length, 0)
})
