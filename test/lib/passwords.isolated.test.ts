import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword, needsRehash, verifyPassword } from '../../src/lib/passwords.ts'

const turn = { lane: 'known', key: 'test' } as const

test('verifies the right password and rejects others', async () => {
  const hash = await hashPassword('geheim ☂ 123', turn)
  assert.equal(await verifyPassword('geheim ☂ 123', hash, turn), true)
  for (const other of ['', 'geheim ☂ 12', 'geheim ☂ 1234', 'GEHEIM ☂ 123']) {
    assert.equal(await verifyPassword(other, hash, turn), false, other)
  }
})

test('hashing the same password twice gives different hashes', async () => {
  const hashes = await Promise.all([hashPassword('the same', turn), hashPassword('the same', turn)])
  assert.notEqual(hashes[0], hashes[1])
})

test('verifies a hash made with other cost parameters', async () => {
  const nonce = Buffer.alloc(16, 7)
  const tag = argon2Sync('argon2id', {
    message: 'older',
    nonce,
    tagLength: 32,
    memory: 1024,
    passes: 1,
    parallelism: 2,
  })
  const hash = `$argon2id$v=19$m=1024,t=1,p=2$${nonce.toBase64({ omitPadding: true })}$${tag.toBase64({ omitPadding: true })}`
  assert.equal(await verifyPassword('older', hash, turn), true)
  assert.equal(await verifyPassword('newer', hash, turn), false)
})

test('throws on a malformed hash', async () => {
  await assert.rejects(verifyPassword('x', '', turn), /unknown form/)
  await assert.rejects(verifyPassword('x', '$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA', turn), /unknown form/)
})

// In a process of its own: test servers lower the cost for the whole process.
test('hashes with the cost that OWASP recommends', async () => {
  const hash = await hashPassword('geheim', turn)
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.equal(needsRehash(hash), false)
})
