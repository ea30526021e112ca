import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../src/importers/result.ts'
import { readStatusCake } from '../../src/importers/statuscake/read.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { applyImport, fixture, fixtureJson } from './apply.ts'
import { expectContact, expectFields, expectObject, objectOf, resourceOf, windowFacts } from './expected.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and expectations have every shape
type Anything = any

const files = ['uptime', 'uptime-details', 'heartbeat', 'ssl', 'contact-groups', 'maintenance-windows'].map((name) =>
  fixture(`statuscake/${name}.json`),
)
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

const named = (name: string, content: unknown) => {
  return { name, bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)) }
}

test('a check of which only the list is there is imported, and what is missing is said', () => {
  const result = readStatusCake([fixture('statuscake/uptime.json')])
  assert.equal(result.objects.length, 14)
  const website = objectOf(result, 'uptime check', 500001)
  assert.deepEqual(website.losses, [
    'Only the list is in the files: add the answer of GET /v1/uptime/500001 for its other settings.',
  ])
  const single = readStatusCake([named('500003.json', fixtureJson('statuscake/uptime-details.json')[500003])])
  assert.equal(resourceOf(single, objectOf(single, 'uptime check', 500003)).keyword, 'Welcome')
})

test('of damaged files what can be read is imported, and the rest is named', () => {
  const text = Buffer.from(fixture('statuscake/uptime-details.json').bytes).toString()
  const half = readStatusCake([named('half.json', text.slice(0, text.indexOf('"Must not have text"')))])
  assert.deepEqual(
    half.objects.map(({ name }) => name),
    ['Website', 'HEAD', 'Has text'],
  )
  assert.deepEqual(half.unreadable, ['half.json is damaged: only the entries before the damage are read.'])
  const check = { id: '1', name: 'New', website_url: 'https://new.example', test_type: 'QUIC', check_rate: 60 }
  const { objects, unreadable } = readStatusCake([
    named('error.html', '<html>502</html>'),
    named('denied.json', { message: 'Unauthorized', errors: {} }),
    named('empty.json', { data: [], metadata: { total_count: 0 } }),
    named('list.json', { data: [check], metadata: { total_count: 2 } }),
  ])
  assert.deepEqual(unreadable, [
    'error.html is not JSON. It is a web page.',
    'denied.json is not a known answer: it has the fields message, errors.',
    'empty.json has no entries.',
    'Only 1 of 2 entries of the kind uptime check are in the files: pages are missing.',
  ])
  assert.deepEqual(
    objects.map(({ reason }) => reason),
    ['Pharos has no check for the type QUIC.'],
  )
})

forEachEngine('an import from StatusCake', (engine) => {
  const api = useApi(engine)
  test('is applied without faults, and a second plan has no changes', async () => {
    const { client } = await api.tenant()
    await applyImport(client, readStatusCake(files))
  })
})
