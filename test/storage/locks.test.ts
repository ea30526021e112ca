import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StorageUnusable } from '../../src/storage/database.ts'
import { lockDataDir } from '../../src/storage/sqlite/database.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { newTestDatabase } from './test-database.ts'

forEachEngine('locks', (engine) => {
  test('have one holder until they are released', async () => {
    await using fixture = await newTestDatabase(engine)
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
    await using fixture = await newTestDatabase(engine)
    for (let round = 0; round < 10; round += 1) {
      const wanted = await Promise.all(Array.from({ length: 20 }, () => fixture.database.tryLock('busy')))
      const held = wanted.filter((lock) => lock !== undefined)
      assert.equal(held.length, 1)
      await held[0]?.release()
    }
  })
})

test('PostgreSQL: locks are shared by all nodes', { skip: withoutPostgres }, async () => {
  await using fixture = await newTestDatabase('postgres')
  const other = await fixture.open()
  const lock = await fixture.database.tryLock('shared')
  assert.ok(lock)
  assert.equal(await other.tryLock('shared'), undefined)
  await lock.release()
  const taken = await other.tryLock('shared')
  assert.ok(taken)
  assert.equal(await fixture.database.tryLock('shared'), undefined)
})

test('PostgreSQL: the locks of a node end with its connection', { skip: withoutPostgres }, async () => {
  await using fixture = await newTestDatabase('postgres')
  const mortal = await fixture.open()
  assert.ok(await mortal.tryLock('inherited'))
  assert.equal(await fixture.database.tryLock('inherited'), undefined)
  await mortal.close()
  assert.ok(await fixture.database.tryLock('inherited'))
})

test('SQLite: only one server can lock a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-lock-'))
  try {
    const lock = lockDataDir(folder)
    assert.throws(
      () => lockDataDir(folder),
      (error) => error instanceof StorageUnusable && /Another Pharos server is using/.test(error.message),
    )
    lock.release()
    lockDataDir(folder).release()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
