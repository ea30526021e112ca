import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeMessage } from '../../../src/notifications/contacts/message.ts'
import { AT, alert, FROM, messageOf } from './send.ts'

const down = (...names: string[]) => names.map((subject) => alert({ subject }))

test('names the new outages and counts the others', () => {
  const titleWith = (ongoing: number, names: string[]) =>
    composeMessage({
      alerts: down(...names),
      ongoing: down(...Array(ongoing).fill('Old')),
      from: FROM,
      at: AT,
    }).title
  assert.equal(titleWith(2, ['10.0.0.12:5432']), '10.0.0.12:5432 is down (2 others still down)')
  assert.equal(titleWith(1, ['api.acme.test', 'Shop']), 'api.acme.test and Shop are down (1 other still down)')
  assert.equal(titleWith(0, ['A', 'B', 'C']), 'A, B and C are down')
  assert.equal(titleWith(0, ['A', 'B', 'C', 'D', 'E']), 'A, B, C and 2 others are down')
})

test('counts each state after the most urgent one', () => {
  const many = [
    ...down('Shop'),
    ...down('Blog'),
    alert({ kind: 'degraded', incidentId: null }),
    alert({ kind: 'certificate_expiring', incidentId: null }),
    ...Array.from({ length: 2 }, () => alert({ kind: 'resolved' })),
  ]
  assert.equal(messageOf(many).title, 'Shop and Blog are down (1 other degraded, 1 with expiring certificate, 2 more)')
})

test('long names are cut, and the number of others stays', () => {
  const long = 'x'.repeat(119)
  const { title } = messageOf(down(long, long, long, 'Shop', 'Blog'))
  assert.ok(title.length <= 120, title)
  assert.match(title, /^x+… and 4 others are down$/)
  const one = messageOf([...down(long), alert({ kind: 'degraded', incidentId: null })]).title
  assert.ok(one.length <= 120)
  assert.match(one, /^x+… is down \(1 other degraded\)$/)
})
