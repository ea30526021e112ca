import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../src/importers/result.ts'
import { readStatusCake } from '../../src/importers/statuscake/read.ts'
import { fileWith, fixture, fixtureJson, fixturesOf } from './apply.ts'
import {
  type Anything,
  expectContact,
  expectFields,
  expectObject,
  objectOf,
  resourceOf,
  windowFacts,
} from './expected.ts'

const files = fixturesOf('statuscake')
const expected = fixtureJson('statuscake/expected.json')

/** Outcomes that differ from the expectations, which were written before Pharos could do it. */
const others: Readonly<Record<string, Outcome>> = {
  // The resolver is kept.
  500010: 'MAPPED',
  // The addresses of heartbeats are not served here.
  600001: 'MAPPED_WITH_LOSSES',
  600002: 'MAPPED_WITH_LOSSES',
}

test('every object becomes what is expected, whatever the order of the files', () => {
  const result = readStatusCake(files)
  assert.deepEqual(result.unreadable, [])
  const expectOne = (kind: string, one: Anything) => expectObject(result, kind, one.sourceId, one, others[one.sourceId])
  for (const one of expected.uptime) expectOne('uptime check', one)
  for (const one of expected.heartbeat) expectOne('heartbeat check', one)
  for (const one of expected.ssl) expectOne('SSL check', one)
  for (const one of expected.maintenance) {
    const window = resourceOf(result, expectOne('maintenance window', one))
    const facts = windowFacts(result, window)
    const times = { startsAt: new Date(window.startsAt).toISOString(), endsAt: new Date(window.endsAt).toISOString() }
    expectFields({ ...facts, ...times }, one.fields, `window ${one.sourceId}`)
  }
  const group = expectOne('contact group', expected.contactGroups[0])
  const contacts = Object.values<Anything>((result.document as Anything).contacts)
  const values = contacts.map(({ settings }) => settings.address ?? settings.url).sort()
  assert.deepEqual(values, ['https://hooks.example.com/sc', 'oncall@example.com', 'ops@example.com'])
  for (const contact of contacts) {
    expectContact(contact, contact.settings.url === undefined ? 'email' : 'webhook')
    assert.deepEqual(contact.monitors, ['website-500001'])
  }
  assert.equal(group.losses.length, 2)
  assert.equal(result.objects.length, 14 + 2 + 2 + 1 + 3)
  assert.deepEqual(readStatusCake(files.toReversed()).document, result.document)
})

test('a check of which only the list is there is imported, and what is missing is said', () => {
  const result = readStatusCake([fixture('statuscake/uptime.json')])
  assert.equal(result.objects.length, 14)
  const website = objectOf(result, 'uptime check', 500001)
  assert.deepEqual(website.losses, [
    'Only the list is in the files: add the answer of GET /v1/uptime/500001 for its other settings.',
  ])
  const single = readStatusCake([fileWith(fixtureJson('statuscake/uptime-details.json')[500003])])
  assert.equal(resourceOf(single, objectOf(single, 'uptime check', 500003)).keyword, 'Welcome')
})
