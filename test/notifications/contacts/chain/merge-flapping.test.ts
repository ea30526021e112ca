import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupAlerts } from '../../../../src/notifications/contacts/chain/group-alerts.ts'
import { mergeFlapping } from '../../../../src/notifications/contacts/chain/merge-flapping.ts'
import type { Flapping } from '../../../../src/notifications/contacts/flapping.ts'
import { composeMessage } from '../../../../src/notifications/contacts/message.ts'
import type { Alert } from '../../../../src/notifications/contacts/types.ts'
import { AT, alert, FROM, flapping, READER } from '../send.ts'

const own = (fields: Partial<Alert> = {}) => alert({ monitorId: 'mon_f', ...fields })

const summary = (alerts: readonly Alert[], one: Flapping): string =>
  composeMessage({ alerts, ongoing: [], flapping: [one], from: FROM, reader: READER, at: AT }).title

test('the problems of a flapping monitor are one line with its current state', () => {
  const ended = Array.from({ length: 3 }, (_, i) => own({ endedAt: AT + i + 10, at: AT + i }))
  const other = alert({ subject: 'Blog' })
  const entries = mergeFlapping(groupAlerts([...ended, other]), [flapping()])
  assert.deepEqual(
    entries.map(({ state, alerts }) => [state, alerts.length]),
    [
      ['down', 1],
      ['up', 3],
    ],
  )
  assert.equal(summary(ended, flapping()), 'Checkout is flapping: down 6 times in 20 min, up now')
  assert.equal(summary([...ended, own()], flapping()), 'Checkout is flapping: down 6 times in 20 min, down now')
  const mixed = flapping({ outages: 1, degradations: 3, since: AT - 20_000 })
  const text = 'Checkout is flapping: down once and degraded 3 times in 20 s, degraded now'
  assert.equal(summary([own({ kind: 'degraded', incidentId: null })], mixed), text)
})
