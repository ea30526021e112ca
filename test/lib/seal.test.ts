import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSealer, sealKeyId, UnknownSealKey } from '../../src/lib/seal.ts'

const key = (fill: number) => Buffer.alloc(32, fill)

test('what was sealed opens to the same text, in the same place', () => {
  const sealer = createSealer([key(1)])
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (plain, place) => {
      assert.equal(sealer.open(sealer.seal(plain, place), place), plain)
    }),
  )
})

test('a sealed text shows nothing of the plain one, and never looks the same twice', () => {
  const sealer = createSealer([key(1)])
  const sealed = Array.from({ length: 50 }, () => sealer.seal('whsec_secret', 'place'))
  assert.equal(new Set(sealed).size, 50)
  for (const text of sealed) {
    assert.ok(!text.includes('secret') && !Buffer.from(text.split('.')[1] ?? '', 'base64').includes('secret'))
  }
})

test('it opens in no other place, and not when a single bit was changed', () => {
  const sealer = createSealer([key(1)])
  const sealed = sealer.seal('text', 'here')
  assert.throws(() => sealer.open(sealed, 'there'))
  const [id, body = ''] = sealed.split('.')
  const bytes = Buffer.from(body, 'base64')
  for (let i = 0; i < bytes.length; i += 1) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] ?? 0) ^ 1
    assert.throws(() => sealer.open(`${id}.${changed.toString('base64')}`, 'here'), `byte ${i}`)
  }
  for (const torn of ['', '.', `${id}.`, `${id}.AAAA`, sealed.slice(0, -8)])
    assert.throws(() => sealer.open(torn, 'here'))
})

test('the first key seals, every key opens, and an unknown one is named', () => {
  const [old, renewed, stranger] = [createSealer([key(1)]), createSealer([key(2), key(1)]), createSealer([key(3)])]
  const before = old.seal('a', 'x')
  assert.equal(renewed.open(before, 'x'), 'a')
  const after = renewed.seal('b', 'x')
  assert.ok(after.startsWith(`${sealKeyId(key(2))}.`))
  assert.throws(() => old.open(after, 'x'), UnknownSealKey)
  assert.throws(() => stranger.open(before, 'x'), new RegExp(sealKeyId(key(1))))
  assert.deepEqual(renewed.knownKeyIds, [sealKeyId(key(2)), sealKeyId(key(1))])
})

test('the name of a key gives nothing of it away, and there is no sealer without one', () => {
  assert.match(sealKeyId(key(1)), /^[0-9a-f]{8}$/)
  assert.notEqual(sealKeyId(key(1)), sealKeyId(key(2)))
  assert.throws(() => createSealer([]), /at least one key/)
})

test('a mark tells its own text and context from all others, whichever known key made it', () => {
  const [old, renewed, stranger] = [createSealer([key(1)]), createSealer([key(2), key(1)]), createSealer([key(3)])]
  const mark = old.keyedHash('text', 'place')
  assert.ok(old.isKeyedHashOf(mark, 'text', 'place'))
  assert.ok(renewed.isKeyedHashOf(mark, 'text', 'place'), 'a key that seals no more still tells')
  for (const [plain, context] of [
    ['text ', 'place'],
    ['text', 'another place'],
    ['', ''],
  ] as const) {
    assert.ok(!old.isKeyedHashOf(mark, plain, context))
  }
  assert.ok(!stranger.isKeyedHashOf(mark, 'text', 'place'))
  for (const other of ['', '.', 'text', `${old.keyId}.`, `${old.keyId}.AAAA`])
    assert.ok(!old.isKeyedHashOf(other, 'text', 'place'))
  assert.ok(!mark.includes('text'))
})
