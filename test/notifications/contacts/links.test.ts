import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardUrlOf, testMessage } from '../../../src/notifications/contacts/message.ts'
import { AT, alert, messageOf } from './send.ts'

const HOME = 'https://pharos.example.com/o/org_1'

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
  assert.equal(
    testMessage({ name: 'Ops', channel: 'EMAIL' }, { organization: 'Acme', dashboardUrl: HOME }, 'ntc_t', AT).link,
    `${HOME}/`,
  )
})
