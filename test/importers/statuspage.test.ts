import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStatuspage } from '../../src/importers/statuspage/read.ts'
import { fileWith, fixtureJson, fixturesOf } from './apply.ts'
import { expectFields, expectObject, objectOf, resourceOf, windowFacts } from './expected.ts'

const files = fixturesOf('statuspage').toReversed()
const expected = fixtureJson('statuspage/expected.json')

test('every object becomes what is expected, and no subscriber is imported', () => {
  const result = readStatuspage(files)
  assert.deepEqual(result.unreadable, [])
  for (const one of expected.pages) {
    expectFields(resourceOf(result, expectObject(result, 'page', one.sourceId, one)), one.fields, 'the page')
  }
  for (const one of expected.components) expectObject(result, 'component', one.sourceId, one)
  for (const one of expected.groups) expectObject(result, 'component group', one.sourceId, one)
  for (const one of expected.incidents) {
    const object = expectObject(result, 'incident', one.sourceId, one)
    if (object.key === undefined) continue
    expectFields(windowFacts(result, resourceOf(result, object)), one.fields, 'the window')
  }
  for (const one of expected.subscribers) {
    const { name } = expectObject(result, 'subscribers', one.sourceId, one)
    assert.equal(name, `${one.count} by ${one.sourceId}`)
  }
  assert.equal(result.objects.length, 1 + 5 + 3 + 5 + 3)
  assert.doesNotMatch(JSON.stringify(result), /reader@example|0000000000|hooks\.example/)
})

test('the public summary of a page is enough', () => {
  const components = fixtureJson('statuspage/components.json')
  const group = { ...components[0], id: 'fakegroup001', name: 'Web sites', group: true, group_id: null }
  const summary = {
    page: { id: 'fakepage0001', name: 'Example Cloud', url: 'https://status.example.com', time_zone: 'Etc/UTC' },
    components: [group, components[0], components[3]],
    incidents: [],
    scheduled_maintenances: [fixtureJson('statuspage/incidents.json')[2]],
    status: { indicator: 'none', description: 'All Systems Operational' },
  }
  const result = readStatuspage([fileWith(summary)])
  assert.deepEqual(result.unreadable, [])
  const page = resourceOf(result, objectOf(result, 'page', 'fakepage0001'))
  assert.equal(page.homepageUrl, undefined)
  assert.deepEqual(page.sections, [
    { name: 'Web sites', selector: 'group="Web sites"' },
    { name: 'Services', selector: 'group="Services"' },
  ])
  assert.match(objectOf(result, 'component', 'fakecomp0001').reason ?? '', /label group="Web sites",/)
  assert.equal(objectOf(result, 'incident', 'fakeinc00003').outcome, 'MAPPED_WITH_LOSSES')
})
