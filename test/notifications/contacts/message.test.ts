import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeMessage, dashboardUrlOf, testMessage } from '../../../src/notifications/contacts/message.ts'
import { words } from '../../support/reasons.ts'
import { AT, alert, FROM, flapping, messageOf, READER } from './send.ts'

const down = (...names: string[]) => names.map((subject) => alert({ subject }))

test('the title names up to three new outages, and counts the others', () => {
  const titleOf = (...names: string[]) => messageOf(down(...names)).title
  assert.equal(titleOf('10.0.0.12:5432'), '10.0.0.12:5432 is down')
  assert.equal(titleOf('A', 'B', 'C'), 'A, B and C are down')
  assert.equal(titleOf('Checkout', 'Orders API', ...Array(10).fill('x')), 'Checkout, Orders API and 10 more are down')
})

test('the title says what is most urgent, and counts the other changes', () => {
  const degraded = alert({ kind: 'degraded', incidentId: null, reason: null })
  assert.equal(messageOf([...down('Shop'), degraded]).title, 'Shop is down, 1 more change')
  const resolved = Array.from({ length: 2 }, () => alert({ kind: 'resolved' }))
  assert.equal(
    messageOf([...down('Shop', 'Blog'), degraded, ...resolved]).title,
    'Shop and Blog are down, 3 more changes',
  )
})

test('what is still down is no change: the title is about the news', () => {
  const ongoing = down(...Array.from({ length: 9 }, (_, i) => `Old ${i}`))
  const { title, remarks } = composeMessage({ alerts: down('Shop'), ongoing, from: FROM, reader: READER, at: AT })
  assert.equal(title, 'Shop is down')
  assert.deepEqual(remarks, ['Also still down: Old 0, Old 1, Old 2, Old 3, Old 4 and 4 more'])
})

test('a title is cut in its names, and in no name before 60 characters', () => {
  const long = 'x'.repeat(120)
  assert.equal(messageOf(down(long)).title, `${long} is down`)
  const several = messageOf(down(long, long, long, 'Shop', 'Blog')).title
  assert.match(several, /^x{59}…, x{59}… and 3 more are down$/)
  const reason = words(`$.${'y'.repeat(200)} is "x"`)
  const assertion = messageOf([alert({ kind: 'degraded', subject: long, reason })]).title
  assert.match(assertion, /^x{59}… fails a check: \$\.y{50,}…$/)
  assert.ok(assertion.length <= 150)
})

test('a flapping monitor that is down counts as down', () => {
  const flaps = flapping({ monitorId: 'mon_f' })
  const own = (fields = {}) => alert({ monitorId: 'mon_f', subject: 'Flaky', ...fields })
  const title = (alerts: Parameters<typeof messageOf>[0]) =>
    composeMessage({ alerts, ongoing: [], flapping: [flaps], from: FROM, reader: READER, at: AT }).title
  assert.equal(title([own(), ...down('Shop')]), 'Flaky and Shop are down')
  assert.equal(title([own({ endedAt: AT }), ...down('Shop')]), 'Shop is down, 1 more change')
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
  assert.equal(testMessage({ name: 'Ops', channel: 'EMAIL' }, FROM, READER, 'ntc_t', AT).link, `${HOME}/`)
})
