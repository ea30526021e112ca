import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounded, boundedName, boundedStatus } from '../../src/importers/bounds.ts'
import { Collection } from '../../src/importers/collection.ts'
import { createKeys } from '../../src/importers/keys.ts'
import { renamedKeys, withRenames } from '../../src/importers/renames.ts'
import { reportText } from '../../src/importers/report.ts'
import { forFile, withValues } from '../../src/importers/variables.ts'
import { localWindow } from '../../src/importers/windows.ts'

test('the key of an object does not depend on the objects around it', () => {
  const all = createKeys('monitor')
  const before = [
    all(1, 'Website'),
    all(2, 'Website'),
    all('82d1c55c-aba1-6968-e08c-b108ad9597ca', 'Größe & Maß'),
    all(4, '日本語'),
  ]
  assert.deepEqual(before, ['website-1', 'website-2', 'grosse-mass-cf9d10a4', 'monitor-4'])
  assert.equal(createKeys('monitor')(2, 'Website'), 'website-2')
  assert.equal(createKeys('monitor')('core_website'), 'core-website')
  const long = createKeys('monitor')(7, 'x'.repeat(200))
  assert.equal(long.length, 63)
})

test('keys that would be equal differ', () => {
  const keys = createKeys('monitor')
  const [a, b] = [keys('a-b_c'), keys('a_b-c')]
  assert.equal(a, 'a-b-c')
  assert.match(b, /^a-b-c-[0-9a-f]{8}$/)
})

test('a value outside of the bounds becomes the nearest one, and the loss is named', () => {
  const losses: string[] = []
  assert.equal(bounded('intervalSeconds', 15, losses), 30)
  assert.equal(bounded('timeoutSeconds', 7.6, losses), 8)
  assert.equal(bounded('intervalSeconds', 60, losses), 60)
  assert.deepEqual(losses, [
    'The interval of 15 s is below the minimum: 30 s is used.',
    'The timeout of 7.6 s is not a whole number: 8 s is used.',
  ])
  assert.equal(boundedName(' a\nb ', 'monitor', losses), 'a b')
  assert.equal(boundedName('\t', 'monitor', losses), 'monitor')
  assert.equal(losses.length, 2)
})

test('of too many status codes the registered ones stay', () => {
  const losses: string[] = []
  assert.deepEqual(boundedStatus([200, [301, 302]], losses), [200, 301, 302])
  assert.equal(losses.length, 0)
  const kept = boundedStatus([[200, 299], 302], losses)
  assert.equal(kept.length, 100)
  assert.ok(kept.includes(302) && kept.includes(208) && !kept.includes(299))
  assert.equal(losses.length, 1)
})

test('a file has variables as they are and other dollar signs escaped', () => {
  const [token, euro] = ['TOKEN', 'EUR'].map((name) => `\${${name}}`)
  const document = { a: `Bearer ${token}`, b: [`costs ${euro} and \${`], c: 1 }
  assert.deepEqual(forFile(document, ['TOKEN']), { a: `Bearer ${token}`, b: [`costs $${euro} and $\${`], c: 1 })
  assert.deepEqual(withValues(document, { TOKEN: 'secret' }), { ...document, a: 'Bearer secret' })
})

test('a window by wall clock is the right time in summer and winter', () => {
  const window = { time: '23:00', durationMinutes: 90, timezone: 'Europe/Berlin' }
  assert.deepEqual(localWindow({ ...window, date: '2026-07-01' }), {
    startsAt: '2026-07-01T21:00:00.000Z',
    endsAt: '2026-07-01T22:30:00.000Z',
    timezone: 'Europe/Berlin',
  })
  assert.equal(localWindow(window).startsAt, '2024-01-01T22:00:00.000Z')
})

test('the report lists every object, and names are not markup', () => {
  const object = { kind: 'monitor', sourceId: '1', name: '<b>*Shop*\n# x', losses: [] }
  const text = reportText('Uptime Kuma', {
    document: {},
    objects: [
      { ...object, outcome: 'MAPPED', key: 'monitors.shop-1' },
      { ...object, sourceId: '2', outcome: 'MAPPED_WITH_LOSSES', key: 'monitors.shop-2', losses: ['The tag is lost.'] },
      { ...object, sourceId: '3', outcome: 'NOT_SUPPORTED', reason: 'No such check.' },
    ],
    unreadable: ['Table tag is damaged.'],
    variables: ['TOKEN'],
  })
  assert.match(text, /\| Imported with losses \| 1 \|/)
  assert.match(text, /- monitor `3` \\<b\\>\\\*Shop\\\* \\# x: No such check\./)
  assert.match(text, / {2}- The tag is lost\./)
  assert.match(text, /- `TOKEN`/)
  assert.match(text, /- Table tag is damaged\./)
})

test('an object that was renamed in the other tool keeps what it became', () => {
  const object = (key: string, sourceId: string) =>
    ({ kind: 'monitor', sourceId, name: key, outcome: 'MAPPED', key: `monitors.${key}`, losses: [] }) as const
  const uuid = '82d1c55c-aba1-6968-e08c-b108ad9597ca'
  const byUuid = createKeys('monitor')(uuid, 'Backup')
  const objects = [
    object('store-12', '12'),
    object('new-2', '2'),
    object('api-3', '3'),
    object(byUuid, uuid),
    object('core-web', 'core_web'),
    object('other-4', '4'),
  ]
  const monitors = Object.fromEntries(objects.map(({ key }) => [key.slice('monitors.'.length), { type: 'HTTP' }]))
  const job = createKeys('monitor')(uuid, 'Old name')
  // Of the id 3 nothing is gone, the id 4 had two, and a key without a name is an id.
  const known = ['shop-12', 'new-112', 'api-3', job, 'old-web', 'a-4', 'b-4']
  const keysOf = (kind: string) => (kind === 'monitors' ? known : [])
  const result = { document: { version: 1, monitors }, objects }
  const expected = [
    ['monitors.store-12', 'shop-12'],
    [`monitors.${byUuid}`, job],
  ]
  assert.deepEqual([...renamedKeys(result, keysOf)], expected)
  const document = withRenames(result, keysOf) as { monitors: Record<string, object> }
  assert.deepEqual(document.monitors['store-12'], { type: 'HTTP', was: 'shop-12' })
  assert.deepEqual(document.monitors['new-2'], { type: 'HTTP' })
  assert.equal(
    withRenames(result, () => []),
    result.document,
  )
})

test('an object that cannot be read is reported with the reason, without what it has added, and costs no other', () => {
  const collection = new Collection('kuma')
  const describe = (name: string) => ({ kind: 'monitor', sourceId: name, name })
  const read = collection.readEach(['first', 'broken', 'last'], describe, (name, object) => {
    collection.map(object, 'monitors', { name, type: 'CRON' })
    collection.save('contacts', object, { name, channel: 'EMAIL', settings: { address: 'a@example.com' } }, [])
    if (name === 'broken') throw new RangeError(`The month ${'9'.repeat(1000)} is out of range.`)
    return name.length
  })
  assert.deepEqual(read, [5, 4])
  const { document, objects } = collection.result()
  assert.deepEqual(
    objects.map(({ sourceId, outcome }) => [sourceId, outcome]),
    [
      ['first', 'MAPPED'],
      ['broken', 'NOT_SUPPORTED'],
      ['last', 'MAPPED'],
    ],
  )
  assert.match(String(objects[1]?.reason), /^It cannot be read: The month 9{100,200}\.$/)
  assert.deepEqual(Object.keys(document.monitors as object), ['first-first', 'last-last'])
  assert.deepEqual(Object.keys(document.contacts as object), ['first-first', 'last-last'])
  assert.equal(collection.keyOf('monitor', 'broken'), undefined)
})
