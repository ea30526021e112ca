import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEvents } from '../../../src/monitoring/checks/check-events.ts'
import type { Verdict } from '../../../src/monitoring/checks/judge.ts'
import type { MonitorState } from '../../../src/monitoring/monitor-states/state.ts'

const quiet: Verdict = { state: 'UP', samples: [], incident: 'none', expiring: null }
const certificate = { fingerprint: 'aa', expiresAt: 1 }

function told(before: MonitorState, verdict: Partial<Verdict>, type = 'HTTP', recordsChanged = false): string[] {
  return checkEvents({ type, before, verdict: { ...quiet, ...verdict }, recordsChanged }).map(({ event }) => event)
}

test('a check that changes nothing is no news', () => {
  assert.deepEqual(told('UP', {}), [])
  assert.deepEqual(told('DEGRADED', { state: 'DEGRADED' }), [])
  assert.deepEqual(told('DOWN', { state: 'DOWN', incident: 'continue' }), [])
})

test('the first success of a new monitor is no news either', () => {
  assert.deepEqual(told('PENDING', {}), [])
})

test('an incident is told when it opens and when it is resolved, once each', () => {
  assert.deepEqual(told('UP', { state: 'DOWN', incident: 'open' }), ['incident.opened'])
  assert.deepEqual(told('DOWN', { incident: 'resolve' }), ['incident.resolved'])
})

test('slowness is told when it begins and when it ends', () => {
  assert.deepEqual(told('UP', { state: 'DEGRADED' }), ['monitor.degraded'])
  assert.deepEqual(told('DEGRADED', {}), ['monitor.recovered'])
})

test('a monitor that comes back slow has its incident resolved before it is told slow', () => {
  assert.deepEqual(told('DOWN', { state: 'DEGRADED', incident: 'resolve' }), ['incident.resolved', 'monitor.degraded'])
})

test('a slow monitor that goes down has not recovered', () => {
  assert.deepEqual(told('DEGRADED', { state: 'DOWN', incident: 'open' }), ['incident.opened'])
})

test('in maintenance a failure opens nothing and is no news', () => {
  assert.deepEqual(told('UP', { state: 'DOWN', incident: 'none' }), [])
})

test('an expiry is told by what expires: a registration of DOMAIN monitors, a certificate of all others', () => {
  assert.deepEqual(told('UP', { expiring: certificate }), ['monitor.certificate_expiring'])
  assert.deepEqual(told('UP', { expiring: certificate, state: 'DEGRADED' }, 'SSL'), [
    'monitor.degraded',
    'monitor.certificate_expiring',
  ])
  assert.deepEqual(told('DEGRADED', { expiring: certificate, state: 'DEGRADED' }, 'DOMAIN'), [
    'monitor.domain_expiring',
  ])
})

test('records that changed for good are told beside an unchanged state', () => {
  assert.deepEqual(told('UP', {}, 'DNS', true), ['monitor.dns_changed'])
})
