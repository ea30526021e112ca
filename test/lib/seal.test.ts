import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSealer, sealKeyId, UnknownSealKey } from '../../src/lib/seal.ts'
import { anyCharacter } from '../support/any-character.ts'

const key = (fill: number) => Buffer.alloc(32, fill)

test('a sealed text opens with the same context', () => {
  const sealer = createSealer([key(1)])
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (plain, context) => {
      assert.equal(sealer.open(sealer.seal(plain, context), context), plain)
    }),
  )
})

test('sealed texts differ every time and do not contain the plain text', () => {
  const sealer = createSealer([key(1)])
  const sealed = Array.from({ length: 50 }, () => sealer.seal('whsec_secret', 'context'))
  assert.equal(new Set(sealed).size, 50)
  for (const text of sealed) {
    assert.ok(!text.includes('secret') && !Buffer.from(text.split('.')[1] ?? '', 'base64').includes('secret'))
  }
})

test('a sealed text does not open with another context or with a changed bit', () => {
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

test('the first key seals, all keys open, and the error names an unknown key', () => {
  const [old, renewed, stranger] = [createSealer([key(1)]), createSealer([key(2), key(1)]), createSealer([key(3)])]
  const before = old.seal('a', 'x')
  assert.equal(renewed.open(before, 'x'), 'a')
  const after = renewed.seal('b', 'x')
  assert.ok(after.startsWith(`${sealKeyId(key(2))}.`))
  assert.throws(() => old.open(after, 'x'), UnknownSealKey)
  assert.throws(() => stranger.open(before, 'x'), new RegExp(sealKeyId(key(1))))
  assert.deepEqual(renewed.knownKeyIds, [sealKeyId(key(2)), sealKeyId(key(1))])
})

test('key ids are short hashes, and a sealer needs a key', () => {
  assert.match(sealKeyId(key(1)), /^[0-9a-f]{8}$/)
  assert.notEqual(sealKeyId(key(1)), sealKeyId(key(2)))
  assert.throws(() => createSealer([]), /at least one key/)
})

test('a keyed hash matches only its text and context, for all known keys', () => {
  const [old, renewed, stranger] = [createSealer([key(1)]), createSealer([key(2), key(1)]), createSealer([key(3)])]
  const hash = old.keyedHash('text', 'context')
  assert.ok(old.isKeyedHashOf(hash, 'text', 'context'))
  assert.ok(renewed.isKeyedHashOf(hash, 'text', 'context'), 'an older key still verifies')
  for (const [plain, context] of [
    ['text ', 'context'],
    ['text', 'another context'],
    ['', ''],
  ] as const) {
    assert.ok(!old.isKeyedHashOf(hash, plain, context))
  }
  assert.ok(!stranger.isKeyedHashOf(hash, 'text', 'context'))
  for (const other of ['', '.', 'text', `${old.keyId}.`, `${old.keyId}.AAAA`])
    assert.ok(!old.isKeyedHashOf(other, 'text', 'context'))
  assert.ok(!hash.includes('text'))
})
