import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportedObject, ImportResult, Outcome } from '../../src/importers/result.ts'
import { readUptimeRobot } from '../../src/importers/uptimerobot/read.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { applyImport, fixture, fixtureJson } from './apply.ts'
import { expectContact, expectFields, expectObject, objectOf, resourceOf, windowFacts } from './expected.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and expectations have every shape
type Anything = any

const version2 = ['getMonitors', 'getAlertContacts', 'getMWindows', 'getPSPs'].map((name) =>
  fixture(`uptimerobot/v2-${name}.json`),
)
const version3 = ['monitors', 'maintenance-windows', 'psps'].map((name) => fixture(`uptimerobot/v3-${name}.json`))
const expected = fixtureJson('uptimerobot/expected.json')

/** Outcomes that differ from the expectations, which were written before Pharos could do it or leave a loss unnamed. */
const others: Readonly<Record<string, Outcome>> = {
  // Alerts after 5 minutes, and again every 30: a loss.
  800000001: 'MAPPED_WITH_LOSSES',
  // Digest authentication, assertions and UDP.
  800000006: 'MAPPED',
  820000010: 'MAPPED',
  820000011: 'MAPPED_WITH_LOSSES',
  // The addresses of heartbeats are not served here.
  800000016: 'MAPPED_WITH_LOSSES',
  820000007: 'MAPPED_WITH_LOSSES',
  // Its key is no routing key: PagerDuty would refuse it.
  993008: 'NOT_SUPPORTED',
  // Nothing is left out any more.
  92001: 'MAPPED',
}

function namesOf(result: ImportResult, page: Anything): string[] {
  return page.sections.flatMap(({ monitors }: Anything) =>
    monitors.map(({ monitor }: Anything) => (result.document as Anything).monitors[monitor].name),
  )
}

/** Requires what is expected of every object, and that there are no others. */
function expectAll(result: ImportResult, all: Anything): void {
  const seen: ImportedObject[] = []
  const expectOne = (kind: string, one: Anything): Anything => {
    const object = expectObject(result, kind, one.sourceId, one, others[one.sourceId])
    seen.push(object)
    return object.key === undefined ? undefined : resourceOf(result, object)
  }
  for (const one of all.monitors) expectOne('monitor', one)
  for (const one of all.alertContacts ?? []) {
    const contact = expectOne('alert contact', one)
    if (contact !== undefined) expectContact(contact, one.channel, { value: one.value })
  }
  for (const one of all.maintenance) {
    const window = expectOne('maintenance window', one)
    if (window !== undefined) expectFields(windowFacts(result, window), one.fields, `window ${one.sourceId}`)
  }
  for (const one of all.statusPages) {
    const page = expectOne('status page', one)
    const monitors = one.sourceId === 92001 ? [...one.fields.monitors, 'UDP'] : one.fields.monitors
    expectFields({ ...page, monitors: namesOf(result, page) }, { ...one.fields, monitors }, `page ${one.sourceId}`)
  }
  assert.equal(result.objects.length, seen.length)
}

test('every object of version 2 becomes what is expected, whatever the order of the files', () => {
  const result = readUptimeRobot(version2)
  assert.deepEqual(result.unreadable, [])
  expectAll(result, expected.v2)
  const contacts = (result.document as Anything).contacts
  assert.deepEqual(
    Object.values<Anything>(contacts).map(({ name, covers, monitors }) => [name, covers, monitors.length]),
    [
      ['Ops mail', 'CHOSEN', 1],
      ['Slack', 'CHOSEN', 1],
      ['Webhook', 'CHOSEN', 0],
      ['Teams', 'CHOSEN', 0],
    ],
  )
  assert.deepEqual(readUptimeRobot(version2.toReversed()), result)
})

test('every object of version 3 becomes what is expected', () => {
  const result = readUptimeRobot(version3)
  assert.deepEqual(result.unreadable, ['The alert contacts 993001 of monitors are not in the files.'])
  expectAll(result, expected.v3)
  const monitors = (result.document as Anything).monitors
  assert.deepEqual(
    Object.values<Anything>(monitors).find(({ name }) => name === 'DNS (MX)'),
    {
      name: 'DNS (MX)',
      type: 'DNS',
      url: 'example.com',
      dnsRecordType: 'MX',
      dnsExpected: '10 mail.example.com',
      dnsAlertOnChange: false,
      intervalSeconds: 300,
      timeoutSeconds: 30,
    },
  )
  const shop = resourceOf(result, objectOf(result, 'monitor', 820000001))
  assert.deepEqual([shop.labels, shop.sslExpiryThresholdDays], [{ prod: '' }, 30])
})

const named = (name: string, text: string) => ({ name, bytes: Buffer.from(text) })
const monitors = Buffer.from(version2[0]?.bytes ?? []).toString()

test('of damaged files what can be read is imported, and the rest is named', () => {
  const half = readUptimeRobot([named('half.json', monitors.slice(0, monitors.indexOf('"Login POST"')))])
  assert.deepEqual(
    half.objects.map(({ name }) => name),
    ['Website', 'API'],
  )
  assert.match(half.unreadable[0] ?? '', /^half\.json is damaged: only the entries before the damage are read\.$/)
  assert.match(half.unreadable[1] ?? '', /^Only 2 of 21 entries of the kind monitor/)
  const unknown = { id: 1, friendly_name: 'New', url: 'https://new.example', type: 77, status: 2 }
  const broken = { ...unknown, id: 2, type: 1, url: 'no address', interval: 'often' }
  const mixed = readUptimeRobot([
    named('error.html', '<!DOCTYPE html><title>502</title>'),
    named('refused.json', '{"stat":"fail","error":{"message":"api_key not found"}}'),
    named('empty.json', '{"stat":"ok","monitors":[]}'),
    named('list.json', JSON.stringify({ monitors: [unknown, broken, { surprise: true }] })),
  ])
  assert.deepEqual(mixed.unreadable, [
    'error.html is not JSON. It is a web page.',
    'refused.json is not a known answer: it has the fields stat, error.',
    'empty.json has no entries.',
    'list.json: 1 entries have an unknown form, with the fields surprise.',
  ])
  assert.deepEqual(
    mixed.objects.map(({ outcome, reason }) => [outcome, reason]),
    [
      ['NOT_SUPPORTED', 'Pharos has no check for the type 77.'],
      ['NOT_SUPPORTED', 'Pharos does not accept it: url must be an http:// or https:// address.'],
    ],
  )
})

test('files without any object are not imported', () => {
  const files = [named('error.html', '<html>'), named('empty.json', '{"stat":"ok","monitors":[]}')]
  const error = {
    name: 'WrongFileError',
    message: 'error.html is not JSON. It is a web page. empty.json has no entries.',
  }
  assert.throws(() => readUptimeRobot(files), error)
})

test('pages of a list are read together, and a missing page is named', () => {
  const [first, ...rest] = JSON.parse(Buffer.from(version3[0]?.bytes ?? []).toString()).data
  const page = (data: unknown[], nextLink: string | null) => named('page.json', JSON.stringify({ data, nextLink }))
  const whole = readUptimeRobot([page([first], 'https://api.example/2'), page(rest, null)])
  assert.deepEqual([whole.objects.length, whole.unreadable.length], [14, 1])
  const { unreadable } = readUptimeRobot([page([first], 'https://api.example/2')])
  assert.ok(unreadable.includes('The last page of the list of the kind monitor is missing.'))
})

/** Custom domains are unique on an installation, and both versions have the same one. */
const elsewhere = version3.map(({ name, bytes }) =>
  named(name, Buffer.from(bytes).toString().replaceAll('status.', 'v3.')),
)

forEachEngine('an import from UptimeRobot', (engine) => {
  const api = useApi(engine)
  for (const [version, files] of Object.entries({ 'version 2': version2, 'version 3': elsewhere })) {
    test(`of ${version} is applied without faults, and a second plan has no changes`, async () => {
      const { client } = await api.tenant()
      await applyImport(client, readUptimeRobot(files))
    })
  }
})
