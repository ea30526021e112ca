import assert from 'node:assert/strict'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Engine, StorageUnusable } from '../../src/storage/database.ts'
import { lockDataDir } from '../../src/storage/sqlite/database.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { addNode } from '../support/nodes.ts'
import { migratedTestDatabase } from './test-database.ts'

async function lockable(engine: Engine) {
  const fixture = await migratedTestDatabase(engine)
  await addNode(fixture.database, 'self')
  return fixture
}

forEachEngine('locks', (engine) => {
  test('have one holder until they are released', async () => {
    await using fixture = await lockable(engine)
    const { database } = fixture
    const lock = await database.tryLock('a')
    assert.ok(lock)
    assert.equal(await database.tryLock('a'), undefined)
    const other = await database.tryLock('b')
    assert.ok(other, 'another name')
    await lock.release()
    const again = await database.tryLock('a')
    assert.ok(again)
    await again.release()
    await other.release()
  })

  test('are granted to one of many concurrent requests', async () => {
    await using fixture = await lockable(engine)
    for (let round = 0; round < 10; round += 1) {
      const wanted = await Promise.all(Array.from({ length: 20 }, () => fixture.database.tryLock('busy')))
      const held = wanted.filter((lock) => lock !== undefined)
      assert.equal(held.length, 1)
      await held[0]?.release()
    }
  })
})

test('PostgreSQL: one of many nodes gets a lock', { skip: withoutPostgres }, async () => {
  await using fixture = await lockable('postgres')
  const nodes = await Promise.all(Array.from({ length: 4 }, () => fixture.open()))
  await Promise.all(nodes.map((database, i) => addNode(database, `node ${i}`)))
  for (let round = 0; round < 20; round += 1) {
    const wanted = await Promise.all(nodes.map((database) => database.tryLock('busy')))
    const held = wanted.filter((lock) => lock !== undefined)
    assert.equal(held.length, 1)
    await held[0]?.release()
  }
})

test('PostgreSQL: a lock ends with its node, and its late release does not end the next one', {
  skip: withoutPostgres,
}, async () => {
  await using fixture = await lockable('postgres')
  const mortal = await fixture.open()
  const member = await addNode(mortal, 'mortal')
  const lock = await mortal.tryLock('inherited')
  assert.ok(lock)
  assert.equal(await fixture.database.tryLock('inherited'), undefined)
  await member.remove()
  assert.ok(await fixture.database.tryLock('inherited'))
  await lock.release()
  const third = await fixture.open()
  await addNode(third, 'third')
  assert.equal(await third.tryLock('inherited'), undefined)
})

test('SQLite: only one server can lock a data folder', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pharos-lock-'))
  const lock = lockDataDir(folder.path)
  assert.throws(
    () => lockDataDir(folder.path),
    (error) => error instanceof StorageUnusable && /Another Pharos server is using/.test(error.message),
  )
  lock.release()
  lockDataDir(folder.path).release()
})
