import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBetterStack } from '../../src/importers/betterstack/read.ts'
import type { Outcome } from '../../src/importers/result.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { applyImport, fixture, fixtureJson } from './apply.ts'
import { expectFields, expectObject, objectOf, resourceOf, windowFacts } from './expected.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and expectations have every shape
type Anything = any

const files = [
  'status-page-40001-resources',
  'status-page-40001-sections',
  'status-pages',
  'heartbeats',
  'monitors',
].map((name) => fixture(`betterstack/${name}.json`))
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

const NO_CONTACTS =
  'The members of the team, who receive its alerts, are not in the answers: add alert contacts for them.'

test('every object becomes what is expected', () => {
  const result = readBetterStack(files)
  assert.deepEqual(result.unreadable, [NO_CONTACTS])
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

const named = (name: string, content: unknown) => {
  return { name, bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)) }
}
const [first] = fixtureJson('betterstack/monitors.json').data

test('single answers, groups, policies and waiting times are read', () => {
  const more = { monitor_group_id: 7, policy_id: 9, confirmation_period: 90, recovery_period: 180, regions: ['eu'] }
  const monitor = { ...first, attributes: { ...first.attributes, ...more, domain_expiration: null } }
  const result = readBetterStack([
    named('monitor.json', { data: monitor }),
    named('groups.json', { data: [{ id: '7', type: 'monitor_group', attributes: { name: 'Web sites' } }] }),
    named('policies.json', { data: [{ id: '9', type: 'policy', attributes: { name: 'On call' } }] }),
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

test('of damaged files what can be read is imported, and the rest is named', () => {
  const text = Buffer.from(files[4]?.bytes ?? []).toString()
  const half = readBetterStack([named('half.json', text.slice(0, text.indexOf('Says Welcome')))])
  assert.deepEqual(
    half.objects.map(({ name }) => name),
    ['Homepage', 'API 200 or 401'],
  )
  assert.equal(half.unreadable[0], 'half.json is damaged: only the entries before the damage are read.')
  const unknown = { ...first, attributes: { ...first.attributes, monitor_type: 'telepathy' } }
  const { objects, unreadable } = readBetterStack([
    named('error.html', '<html>502</html>'),
    named('denied.json', { errors: 'Invalid Team API token' }),
    named('empty.json', { data: [], pagination: { next: null } }),
    named('list.json', { data: [unknown], pagination: { next: 'https://api.example/?page=2' } }),
  ])
  assert.deepEqual(unreadable, [
    'error.html is not JSON. It is a web page.',
    'denied.json is not a known answer: it has the fields errors.',
    'empty.json has no entries.',
    'The last page of the list of the kind monitor is missing.',
    NO_CONTACTS,
  ])
  assert.deepEqual(
    objects.map(({ reason }) => reason),
    ['Pharos has no check for the type telepathy.'],
  )
})

forEachEngine('an import from Better Stack', (engine) => {
  const api = useApi(engine)
  test('is applied without faults, and a second plan has no changes', async () => {
    const { client } = await api.tenant()
    await applyImport(client, readBetterStack(files))
  })
})
