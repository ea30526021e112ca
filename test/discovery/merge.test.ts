import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MonitorFields } from '../../src/discovery/found.ts'
import { keyOf } from '../../src/discovery/keys.ts'
import { mergeDocument, readMonitors, writeDocument } from '../../src/discovery/merge.ts'
import { escapeVariables } from '../../src/lib/variables.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const HOUR_MS = 3_600_000

function web(host: string, labels: Readonly<Record<string, string>> = {}): MonitorFields {
  return { name: host, type: 'HTTP', url: `https://${host}/`, labels }
}

function merged(
  found: Readonly<Record<string, MonitorFields | undefined>>,
  previous: Readonly<Record<string, MonitorFields>>,
) {
  const list = Object.entries(found).map(([key, fields]) => ({ key, fields }))
  const before = new Map(Object.entries(previous))
  return Object.fromEntries(mergeDocument(list, before, NOW, 24 * HOUR_MS).monitors)
}

test('what is gone stays with the time since when, until the grace period is over', () => {
  const since = (hours: number) => ({ 'missing-since': new Date(NOW - hours * HOUR_MS).toISOString() })
  const previous = { a: web('a'), new: web('new'), old: web('old', since(23)), over: web('over', since(25)) }
  assert.deepEqual(merged({ a: web('a') }, previous), {
    a: web('a'),
    new: web('new', since(0)),
    old: web('old', since(23)),
  })
})

test('what comes back loses the label', () => {
  const gone = web('a', { 'missing-since': '2026-11-18T11:00:00.000Z', team: 'shop' })
  assert.deepEqual(merged({ a: web('a', { team: 'shop' }) }, { a: gone }), { a: web('a', { team: 'shop' }) })
  assert.deepEqual(merged({ a: undefined }, { a: gone }), { a: web('a', { team: 'shop' }) }, 'also without an address')
})

test('an empty list releases nothing, however long it lasts', () => {
  const labels = { 'missing-since': '2020-01-01T00:00:00.000Z' }
  assert.deepEqual(merged({}, { a: web('a', labels) }), { a: web('a', labels) })
})

test('two names of one target are one monitor, and a new name takes it over', () => {
  assert.deepEqual(merged({ b: web('x'), a: web('x') }, {}), { a: web('x') })
  assert.deepEqual(merged({ a: web('x'), b: web('x') }, { b: web('x') }), { b: web('x') }, 'the known name stays')
  const renamed = { b: { ...web('x'), was: 'a' } }
  assert.deepEqual(merged({ b: web('x') }, { a: web('x') }), renamed)
  assert.deepEqual(merged({ b: web('x') }, renamed), renamed, 'until it is applied')
})

test('a host may be called like a property of every object', () => {
  const found = { constructor: web('constructor') }
  assert.deepEqual(merged(found, {}), { ...found })
  assert.deepEqual(merged(found, { constructor: web('older') }), { ...found })
})

test('a document is read as it was written', () => {
  const odd = { ...web('a', { team: `\${TEAM} $\${x}` }), name: `\${A} $ $$` }
  const monitors = new Map(Object.entries({ a: odd, b: web('b') }))
  const document = writeDocument('docker', monitors)
  assert.deepEqual(readMonitors(escapeVariables(document) as typeof document), monitors)
  assert.deepEqual(
    readMonitors({ monitors: { a: { ...odd, assertions: [], paused: true } } }).get('a'),
    readMonitors(document).get('a'),
  )
})

test('keys have the form of keys, and differ where names differ', () => {
  assert.equal(keyOf('shop', 'web'), 'shop--web')
  assert.equal(keyOf('my_app', 'web', ''), 'my-app--web')
  assert.notEqual(keyOf('api-dev.example.com', '/'), keyOf('api.dev.example.com', '/'))
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 3 }), (parts) => {
      assert.match(keyOf(...parts), /^[a-z0-9][a-z0-9-]{0,62}$/)
    }),
  )
})
