import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBetterStack } from '../../src/importers/betterstack/read.ts'
import type { Outcome } from '../../src/importers/result.ts'
import { fileWith, fixtureJson, fixturesOf } from './apply.ts'
import { type Anything, expectFields, expectObject, objectOf, resourceOf, windowFacts } from './expected.ts'

/** Pages come before the monitors on them. */
const files = fixturesOf('betterstack').toReversed()
const expected = fixtureJson('betterstack/expected.json')

/** Outcomes that differ from the expectations, which were written before Pharos could do it. */
const others: Readonly<Record<string, Outcome>> = {
  // Dialogues, resolvers and proxies.
  10010: 'MAPPED',
  10012: 'MAPPED',
  10016: 'MAPPED',
  // The addresses of heartbeats are not served here.
  20001: 'MAPPED_WITH_LOSSES',
  20002: 'MAPPED_WITH_LOSSES',
  20003: 'MAPPED_WITH_LOSSES',
}

test('every object becomes what is expected', () => {
  const result = readBetterStack(files)
  assert.deepEqual(result.unreadable, [
    'The members of the team, who receive its alerts, are not in the answers: add alert contacts for them.',
  ])
  const { monitors, maintenanceWindows } = result.document as Anything
  for (const one of expected.monitors) expectObject(result, 'monitor', one.sourceId, one, others[one.sourceId])
  for (const one of expected.heartbeats) expectObject(result, 'heartbeat', one.sourceId, one, others[one.sourceId])
  for (const one of expected.statusPages) {
    const page = resourceOf(result, expectObject(result, 'status page', one.sourceId, one))
    const sections = page.sections.map((section: Anything) => ({
      ...section,
      monitors: section.monitors.map((entry: Anything) => ({ ...entry, monitor: monitors[entry.monitor].name })),
    }))
    expectFields({ ...page, sections }, one.fields, 'the page')
  }
  assert.equal(result.objects.length, 20)
  const [window] = Object.values<Anything>(maintenanceWindows)
  const { maintenance } = expected.monitors[0]
  expectFields(windowFacts(result, window), { ...maintenance, monitors: ['Homepage'] }, 'the window')
  assert.deepEqual(
    Object.values<Anything>(monitors)
      .filter(({ name }) => name.startsWith('Mail') || name.startsWith('Homepage'))
      .map(({ name, port, dialogue, sslExpiryThresholdDays }) => [
        name,
        port ?? sslExpiryThresholdDays,
        dialogue?.transport,
      ]),
    [
      ['Homepage (domain)', 30, undefined],
      ['Homepage', 14, undefined],
      ['Mail (465)', 465, 'TLS'],
      ['Mail (587)', 587, 'TCP'],
      ['Mail', 25, 'TCP'],
    ],
  )
  assert.deepEqual(resourceOf(result, objectOf(result, 'monitor', 10016)).request, {
    proxyUrl: 'http://proxy.example.com:3128',
  })
})

const [first] = fixtureJson('betterstack/monitors.json').data

test('single answers, groups, policies and waiting times are read', () => {
  const more = { monitor_group_id: 7, policy_id: 9, confirmation_period: 90, recovery_period: 180, regions: ['eu'] }
  const monitor = { ...first, attributes: { ...first.attributes, ...more, domain_expiration: null } }
  const result = readBetterStack([
    fileWith({ data: monitor }),
    fileWith({ data: [{ id: '7', type: 'monitor_group', attributes: { name: 'Web sites' } }] }),
    fileWith({ data: [{ id: '9', type: 'policy', attributes: { name: 'On call' } }] }),
  ])
  const homepage = objectOf(result, 'monitor', 10001)
  assert.deepEqual(homepage.losses, [
    'A failure is confirmed after 60 s instead of 90 s.',
    'Its escalation policy 9 is lost.',
    'It was checked from eu. Pharos checks from its own locations.',
  ])
  const { labels, confirmation } = resourceOf(result, homepage)
  assert.deepEqual(labels, { group: 'Web sites' })
  assert.deepEqual(confirmation, { failureRetries: 1, retryDelaysSeconds: [60], recoverySuccesses: 4 })
  assert.equal(objectOf(result, 'monitor group', 7).outcome, 'NOT_A_MONITOR')
  assert.equal(objectOf(result, 'policy', 9).outcome, 'NOT_SUPPORTED')
})
