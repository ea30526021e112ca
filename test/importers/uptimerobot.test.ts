import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportedObject, ImportResult, Outcome } from '../../src/importers/result.ts'
import { readUptimeRobot } from '../../src/importers/uptimerobot/read.ts'
import { fixtureJson, fixturesOf } from './apply.ts'
import {
  type Anything,
  expectContact,
  expectFields,
  expectObject,
  objectOf,
  resourceOf,
  windowFacts,
} from './expected.ts'

const version2 = fixturesOf('uptimerobot', 'v2')
const version3 = fixturesOf('uptimerobot', 'v3')
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
