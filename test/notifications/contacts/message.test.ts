import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeMessage, dashboardUrlOf, testMessage } from '../../../src/notifications/contacts/message.ts'
import { AT, alert, FROM, messageOf } from './send.ts'

const down = (...names: string[]) => names.map((subject) => alert({ subject }))

test('the title names the new outages and counts the others', () => {
  const titleWith = (ongoing: number, names: string[]) =>
    composeMessage({ alerts: down(...names), ongoing: down(...Array(ongoing).fill('Old')), from: FROM, at: AT }).title
  assert.equal(titleWith(2, ['10.0.0.12:5432']), '10.0.0.12:5432 is down (2 others still down)')
  assert.equal(titleWith(1, ['api.acme.test', 'Shop']), 'api.acme.test and Shop are down (1 other still down)')
  assert.equal(titleWith(0, ['A', 'B', 'C']), 'A, B and C are down')
  assert.equal(titleWith(0, ['A', 'B', 'C', 'D', 'E']), 'A, B, C and 2 others are down')
})

test('the title counts each state after the most urgent one', () => {
  const many = [
    ...down('Shop'),
    ...down('Blog'),
    alert({ kind: 'degraded', incidentId: null }),
    alert({ kind: 'certificate_expiring', incidentId: null }),
    ...Array.from({ length: 2 }, () => alert({ kind: 'resolved' })),
  ]
  assert.equal(messageOf(many).title, 'Shop and Blog are down (1 other degraded, 1 with expiring certificate, 2 more)')
})

test('long names in the title are cut, and the number of others stays', () => {
  const long = 'x'.repeat(119)
  const { title } = messageOf(down(long, long, long, 'Shop', 'Blog'))
  assert.ok(title.length <= 120, title)
  assert.match(title, /^x+… and 4 others are down$/)
  const one = messageOf([...down(long), alert({ kind: 'degraded', incidentId: null })]).title
  assert.ok(one.length <= 120)
  assert.match(one, /^x+… is down \(1 other degraded\)$/)
})

const HOME = FROM.dashboardUrl

test('the dashboard URL of an organization contains its id', () => {
  assert.equal(dashboardUrlOf('https://pharos.example.com', 'org_1'), HOME)
})

test('a message links to its incident, its monitor, the webhooks, or all incidents', () => {
  const link = (...alerts: readonly ReturnType<typeof alert>[]): string => messageOf(alerts).link
  assert.equal(link(alert({ incidentId: 'inc_7' })), `${HOME}/incidents/inc_7`)
  const degraded = alert({ kind: 'degraded', incidentId: null, monitorId: 'mon_7' })
  assert.equal(link(degraded), `${HOME}/monitors/mon_7`)
  const disabled = alert({ kind: 'endpoint_disabled', incidentId: null, monitorId: null })
  assert.equal(link(disabled), `${HOME}/webhooks`)
  assert.equal(link(alert(), alert()), `${HOME}/incidents`)
  assert.equal(messageOf([], ['ntc_1']).link, `${HOME}/incidents`)
})

test('a test message links to the organization', () => {
  assert.equal(testMessage({ name: 'Ops', channel: 'EMAIL' }, FROM, 'ntc_t', AT).link, `${HOME}/`)
})
