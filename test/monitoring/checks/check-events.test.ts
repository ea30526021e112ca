import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEvents } from '../../../src/monitoring/checks/check-events.ts'
import type { Verdict } from '../../../src/monitoring/checks/judge.ts'
import type { MonitorState } from '../../../src/monitoring/monitor-states/state.ts'
import type { MonitorType } from '../../../src/monitoring/monitor-types/definitions.ts'

const quiet: Verdict = { state: 'UP', degradedBy: [], samples: [], incident: 'none', recoveries: 0, expiring: null }
const certificate = { fingerprint: 'aa', expiresAt: 1 }

function eventsOf(
  before: MonitorState,
  verdict: Partial<Verdict>,
  type: MonitorType = 'HTTP',
  recordsChanged = false,
): string[] {
  return checkEvents({ type, before, verdict: { ...quiet, ...verdict }, recordsChanged }).map(({ event }) => event)
}

test('a check that changes nothing has no events', () => {
  assert.deepEqual(eventsOf('UP', {}), [])
  assert.deepEqual(eventsOf('DEGRADED', { state: 'DEGRADED' }), [])
  assert.deepEqual(eventsOf('DOWN', { state: 'DOWN', incident: 'continue' }), [])
})

test('the first success of a new monitor has no events', () => {
  assert.deepEqual(eventsOf('PENDING', {}), [])
})

test('an incident has one event when it opens and one when it is resolved', () => {
  assert.deepEqual(eventsOf('UP', { state: 'DOWN', incident: 'open' }), ['incident.opened'])
  assert.deepEqual(eventsOf('DOWN', { incident: 'resolve' }), ['incident.resolved'])
})

test('a monitor has an event when it becomes DEGRADED and when it recovers', () => {
  assert.deepEqual(eventsOf('UP', { state: 'DEGRADED' }), ['monitor.degraded'])
  assert.deepEqual(eventsOf('DEGRADED', {}), ['monitor.recovered'])
})

test('a monitor that goes from DOWN to DEGRADED first has its incident resolved', () => {
  assert.deepEqual(eventsOf('DOWN', { state: 'DEGRADED', incident: 'resolve' }), [
    'incident.resolved',
    'monitor.degraded',
  ])
})

test('a DEGRADED monitor that goes DOWN has not recovered', () => {
  assert.deepEqual(eventsOf('DEGRADED', { state: 'DOWN', incident: 'open' }), ['incident.opened'])
})

test('a failure in maintenance has no events', () => {
  assert.deepEqual(eventsOf('UP', { state: 'DOWN', incident: 'none' }), [])
})

test('DOMAIN monitors have an event for an expiring registration, all others for a certificate', () => {
  assert.deepEqual(eventsOf('UP', { expiring: certificate }), ['monitor.certificate_expiring'])
  assert.deepEqual(eventsOf('UP', { expiring: certificate, state: 'DEGRADED' }, 'SSL'), [
    'monitor.degraded',
    'monitor.certificate_expiring',
  ])
  assert.deepEqual(eventsOf('DEGRADED', { expiring: certificate, state: 'DEGRADED' }, 'DOMAIN'), [
    'monitor.domain_expiring',
  ])
})

test('the alert of an expiry is the only one of a monitor that is DEGRADED by nothing else', () => {
  const alertsOf = (...degradedBy: Verdict['degradedBy']) => {
    const verdict: Verdict = { ...quiet, state: 'DEGRADED', degradedBy, expiring: certificate }
    const events = checkEvents({ type: 'SSL', before: 'UP', verdict, recordsChanged: false })
    return events.flatMap(({ alert }) => alert ?? [])
  }
  assert.deepEqual(alertsOf('expiry'), ['certificate_expiring'])
  assert.deepEqual(alertsOf('response time', 'expiry'), ['degraded', 'certificate_expiring'])
  assert.deepEqual(alertsOf('assertion', 'expiry'), ['degraded', 'certificate_expiring'])
})

test('changed DNS records have an event even if the state is unchanged', () => {
  assert.deepEqual(eventsOf('UP', {}, 'DNS', true), ['monitor.dns_changed'])
})
