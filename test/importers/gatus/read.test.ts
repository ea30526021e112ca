import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGatus } from '../../../src/importers/gatus/read.ts'
import { type Outcome, WrongFileError } from '../../../src/importers/result.ts'
import { fileWith, fixture, fixtureJson } from '../apply.ts'
import {
  type Anything,
  expectContact,
  expectFields,
  expectObject,
  objectOf,
  resourceOf,
  windowFacts,
} from '../expected.ts'

const expected = fixtureJson('gatus/expected.json')
const yaml = (content: string) => [fileWith(content, 'config.yaml')]
const config = Buffer.from(fixture('gatus/config.yaml').bytes).toString()
// The fixture has a key that PagerDuty would not accept.
const result = readGatus(yaml(config.replace('fake-pagerduty-integration-key', '0'.repeat(32))))

const monitorOf = (sourceId: string, kind = 'endpoint') => resourceOf(result, objectOf(result, kind, sourceId))

/** Where Pharos does better by now than the expectation, which was written without assertions, dialogues and request options. */
const better: Readonly<Record<string, Outcome>> = {
  graphql: 'MAPPED',
  'behind-oauth': 'MAPPED',
  'via-proxy': 'MAPPED',
  'smtp-starttls': 'MAPPED_WITH_LOSSES',
  'dns-a': 'MAPPED',
  'dns-mx': 'MAPPED',
  'ssh-bastion': 'MAPPED_WITH_LOSSES',
  'live-feed': 'MAPPED_WITH_LOSSES',
  'dns-udp': 'MAPPED_WITH_LOSSES',
}

test('every endpoint is accounted for as expected', () => {
  for (const one of expected.endpoints) {
    const { degradedThresholdMs, ...fields } = one.fields ?? {}
    // Slow is DOWN, as in Gatus, where there are assertions.
    const wanted = one.type === 'HTTP' ? { ...one, fields } : one
    expectObject(result, 'endpoint', `${one.group}_${one.sourceName}`, wanted, better[one.sourceName])
  }
  for (const one of expected.externalEndpoints) {
    expectObject(result, 'external endpoint', `${one.group}_${one.sourceName}`, one)
  }
  for (const one of expected.suites) expectObject(result, 'suite', `${one.group}_${one.sourceName}`, one)
  for (const [i, one] of expected.announcements.entries()) expectObject(result, 'announcement', i, one)
  const count = ['endpoints', 'externalEndpoints', 'suites', 'announcements', 'alerting', 'maintenance'].reduce(
    (sum, name) => sum + expected[name].length,
    0,
  )
  // The dashboard and the connectivity checker.
  assert.equal(result.objects.length, count + 2)
})

test('conditions become assertions that mean the same', () => {
  assert.deepEqual(monitorOf('core_website').assertions, [
    { source: 'RESPONSE_MS', operator: 'LESS', value: 800 },
    { source: 'CERTIFICATE_DAYS', operator: 'GREATER', value: 10 },
  ])
  assert.deepEqual(monitorOf('core_api').assertions, [
    { source: 'JSON', path: '$.status', operator: 'EQUALS', value: 'UP' },
    { source: 'JSON', path: '$.checks.db.latency', operator: 'LESS', value: 50 },
    { source: 'JSON', path: '$[?length($.errors) == 0]', operator: 'EXISTS' },
  ])
  assert.deepEqual(monitorOf('core_login').assertions, [{ source: 'JSON', path: '$.token', operator: 'EXISTS' }])
  assert.deepEqual(monitorOf('core_graphql').assertions, [
    { source: 'JSON', path: '$.data.viewer.id', operator: 'MATCHES', value: '^(?:1)$' },
  ])
})

test('settings of the client become request options and dialogues', () => {
  assert.deepEqual(monitorOf('lab_behind-oauth').request.auth, {
    type: 'OAUTH2_CLIENT_CREDENTIALS',
    tokenUrl: 'https://idp.example.com/token',
    clientId: 'fake-client',
    clientSecret: 'fake-client-secret',
    scope: 'read',
  })
  assert.deepEqual(monitorOf('lab_via-proxy').request, { proxyUrl: 'http://127.0.0.1:3128', resolver: '127.0.0.1:53' })
  assert.deepEqual(monitorOf('dns_dns-a').request, { resolver: '8.8.8.8:53' })
  assert.deepEqual(monitorOf('tls_smtp-starttls').dialogue, { transport: 'STARTTLS', preset: 'SMTP' })
  assert.deepEqual(monitorOf('infra_live-feed').request, { protocol: 'WEBSOCKET' })
  assert.deepEqual(monitorOf('core_website').confirmation, { failureRetries: 2, recoverySuccesses: 2 })
  assert.deepEqual(monitorOf('core_website').labels, { group: 'core' })
})

test('a job keeps its old address', () => {
  const { legacyAddress } = monitorOf('jobs_nightly-backup', 'external endpoint')
  assert.deepEqual(legacyAddress, { tool: 'GATUS', token: 'jobs_nightly-backup', bearer: 'fake-external-token-1' })
})

test('a job whose token can be guessed loses its old address', () => {
  const short = yaml(config.replace('fake-external-token-1', 'potato'))
  const imported = readGatus(short)
  const object = objectOf(imported, 'external endpoint', 'jobs_nightly-backup')
  assert.equal(object.outcome, 'MAPPED_WITH_LOSSES')
  assert.deepEqual(object.losses.slice(-2), [
    'The old address is left out, because it is not valid: bearer must have at least 10 characters, because shorter ones can be guessed.',
    'The job must call the new address.',
  ])
  assert.equal(resourceOf(imported, object).legacyAddress, undefined)
})

test('providers become contacts that are disabled and get the alerts of their endpoints', () => {
  for (const one of expected.alerting) {
    const object = expectObject(result, 'alerting provider', one.sourceType, one)
    const { to, ...fields } = one.fields ?? {}
    if (object.key !== undefined) expectContact(resourceOf(result, object), one.channel, fields)
  }
  const { contacts } = result.document as Anything
  assert.deepEqual(
    [contacts.email, contacts['email-oncall-example-com']].map(({ settings }) => settings.address),
    expected.alerting.find(({ sourceType }: Anything) => sourceType === 'email').fields.to,
  )
  for (const [type, contact] of [
    ['slack', contacts.slack],
    ['pagerduty', contacts.pagerduty],
  ] as const) {
    const users = [...expected.endpoints, ...expected.externalEndpoints].filter((one: Anything) =>
      one.alertChannels?.includes(type),
    )
    assert.deepEqual(
      contact.monitors,
      users.map(({ group, sourceName }: Anything) => `${group}-${sourceName}`),
    )
  }
})

test('maintenance keeps its wall clock, and the dashboard its groups', () => {
  const [all, own] = expected.maintenance
  const factsOf = (id: string) => windowFacts(result, monitorOf(id, 'maintenance'))
  expectFields(factsOf('maintenance'), all.fields, 'maintenance of all')
  expectFields(factsOf('infra_database-port-0'), own.fields, 'maintenance of an endpoint')
  const page = monitorOf('ui', 'dashboard')
  const { sections: _sections, ...fields } = expected.statusPage.fields
  expectFields(page, fields, 'the page')
  assert.deepEqual(
    page.sections.map(({ name }: Anything) => name),
    ['core', 'web', 'lab', 'tls', 'dns', 'infra', 'jobs'],
  )
})

test('variables of the environment stay, and the report names them', () => {
  assert.deepEqual(result.variables, ['API_TOKEN', 'PROBE_PASSWORD', 'SLACK_WEBHOOK_URL'])
  assert.match(objectOf(result, 'endpoint', 'core_api').losses.join(), /API_TOKEN must be set/)
  const read = readGatus(yaml('endpoints: [{name: a, url: "https://$HOST/$$x", conditions: ["[STATUS] == 200"]}]'))
  assert.equal(resourceOf(read, objectOf(read, 'endpoint', '_a')).url, `https://\${HOST}/$x`)
})

/** The monitor of an endpoint with these conditions. */
function conditions(...list: string[]): Anything {
  const config = { endpoints: [{ name: 'a', url: 'https://a.example', conditions: list }] }
  const read = readGatus(yaml(JSON.stringify(config)))
  const object = objectOf(read, 'endpoint', '_a')
  return { object, ...(object.key && resourceOf(read, object)), document: read.document }
}

test('conditions of all forms are kept or named', () => {
  assert.deepEqual(
    conditions('[STATUS] == pat(20*)', '[STATUS] != any(203, 204)').expectedStatus,
    [200, 201, 202, 205, 206, 207, 208, 209],
  )
  assert.deepEqual(conditions('200 == [STATUS]').expectedStatus, [200])
  assert.equal(conditions('[STATUS] >= 200', '[STATUS] <= 299').expectedStatus.length, 100)
  assert.deepEqual(conditions('[STATUS] == 200', '[BODY].a-b[0].c != 5').assertions, [
    { source: 'JSON', path: '$["a-b"][0].c', operator: 'NOT_EQUALS', value: '5' },
    { source: 'JSON', path: '$["a-b"][0].c', operator: 'NOT_EQUALS', value: 5 },
  ])
  assert.deepEqual(conditions('[STATUS] == 200', '[BODY].v == pat(1.*)').assertions, [
    { source: 'JSON', path: '$.v', operator: 'MATCHES', value: '(?s)^1\\..*$' },
  ])
  const lost = conditions('[STATUS] == 200', '[IP] == 192.0.2.1', 'nonsense')
  assert.deepEqual(lost.object.losses, ['The condition [IP] == 192.0.2.1 is lost.', 'The condition nonsense is lost.'])
  assert.equal(conditions('[CONNECTED] == false').object.outcome, 'NOT_SUPPORTED')
  const { document } = conditions('[STATUS] == 200', '[DOMAIN_EXPIRATION] > 720h')
  assert.deepEqual(
    Object.values<Anything>(document.monitors).map(({ type }) => type),
    ['HTTP', 'DOMAIN'],
  )
})

test('names of JavaScript have no special meaning', () => {
  const alerting = { constructor: { url: 'https://a.example' } }
  const endpoint = { name: 'a', url: 'constructor://a.example', conditions: ['[CONNECTED] == true'] }
  const labelled = { ...endpoint, name: 'b', url: 'icmp://a.example', 'extra-labels': { constructor: 'x' } }
  const read = readGatus(yaml(JSON.stringify({ alerting, endpoints: [endpoint, labelled] })))
  assert.equal(objectOf(read, 'endpoint', '_a').outcome, 'NOT_SUPPORTED')
  assert.equal(objectOf(read, 'alerting provider', 'constructor').outcome, 'NOT_SUPPORTED')
  assert.deepEqual(objectOf(read, 'endpoint', '_b').losses, [])
})

test('a provider with other settings for a group is a contact of its own', () => {
  const alerting = {
    slack: { 'webhook-url': 'https://a.example', overrides: [{ group: 'g', 'webhook-url': 'https://b.example' }] },
  }
  const endpoint = { url: 'icmp://a.example', conditions: ['[CONNECTED] == true'], alerts: [{ type: 'slack' }] }
  const endpoints = [
    { ...endpoint, name: 'x' },
    { ...endpoint, name: 'y', group: 'g' },
  ]
  const { document } = readGatus(yaml(JSON.stringify({ alerting, endpoints })))
  const { contacts } = document as Anything
  assert.deepEqual([contacts.slack.monitors, contacts['slack-g'].monitors], [['x'], ['g-y']])
})

test('several files make one configuration, and other files are refused', () => {
  const part = (name: string) =>
    `endpoints: [{name: ${name}, url: "icmp://a.example", conditions: ["[CONNECTED] == true"]}]`
  const both = readGatus([...yaml(part('a')), ...yaml(part('b'))])
  assert.deepEqual(Object.keys((both.document as Anything).monitors), ['a', 'b'])
  assert.throws(() => readGatus(yaml('monitors: []')), WrongFileError)
  assert.throws(() => readGatus(yaml('a: [')), /config\.yaml is not YAML/)
})

test('an alias of something around it is refused with the reason', () => {
  const circular = 'endpoints: &all\n  - name: website\n    others: *all'
  assert.throws(() => readGatus(yaml(circular)), /has an alias of something that contains it/)
})

test('what the server would refuse is left out and named, and the rest stays', () => {
  const { document, objects } = readGatus(
    yaml(`
endpoints:
  - { name: good, url: 'https://good.example', conditions: ['[STATUS] == 200'], alerts: [{ type: slack }] }
  - { name: bad, url: 'https://bad host', alerts: [{ type: slack }], maintenance-windows: [{ start: '23:00', duration: 1h }] }
  - { name: later, url: '$URL' }
  - { name: hidden, url: 'https://$HOST' }
alerting:
  slack: { webhook-url: 'https://hooks.slack.com/services/FAKE' }
  pagerduty: { integration-key: short }
`),
  )
  const { monitors, contacts, statusPages, maintenanceWindows } = document as Anything
  assert.deepEqual(Object.keys(monitors), ['good', 'hidden'])
  assert.deepEqual(contacts.slack.monitors, ['good'])
  assert.deepEqual(statusPages.dashboard.sections[0].monitors, [{ monitor: 'good' }, { monitor: 'hidden' }])
  assert.equal(maintenanceWindows, undefined)
  assert.deepEqual(
    objects.map(({ sourceId, outcome }) => [sourceId, outcome]),
    [
      ['_good', 'MAPPED'],
      ['_bad', 'NOT_SUPPORTED'],
      ['_bad-0', 'NOT_SUPPORTED'],
      ['_later', 'NOT_SUPPORTED'],
      ['_hidden', 'MAPPED_WITH_LOSSES'],
      ['ui', 'MAPPED_WITH_LOSSES'],
      ['slack', 'MAPPED_WITH_LOSSES'],
      ['pagerduty', 'NOT_SUPPORTED'],
    ],
  )
  assert.match(objects[1]?.reason ?? '', /^Pharos does not accept it: url /)
})

test('an endpoint that has no key of its own costs no other endpoint', () => {
  const one = '  - { name: shop, url: "https://shop.example/", conditions: ["[STATUS] == 200"] }\n'
  const { objects, document } = readGatus(yaml(`endpoints:\n${one}${one}${one}${one.replace('shop', 'other')}`))
  const endpoints = objects.filter(({ kind }) => kind === 'endpoint').map(({ outcome, reason }) => [outcome, reason])
  assert.deepEqual(endpoints, [
    ['MAPPED', undefined],
    ['MAPPED', undefined],
    ['NOT_SUPPORTED', 'It cannot be read: another object has the same id.'],
    ['MAPPED', undefined],
  ])
  assert.equal(Object.keys(document.monitors as object).length, 3)
})
