import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Database, type Engine, StorageUnusable } from '../../src/storage/database.ts'
import { migrate, migrations, pendingMigrations } from '../../src/storage/migrate.ts'
import type { Migration } from '../../src/storage/migrations/migration.ts'
import { execute } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { newTestDatabase } from './test-database.ts'

const tables: Readonly<Record<Engine, string>> = {
  sqlite: "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
  postgres: "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
}

async function tablesIn(database: Database): Promise<string[]> {
  const rows = await database.read(execute(sql.raw<{ name: string }>(tables[database.engine])))
  return rows.map(({ name }) => name)
}

const step = (id: number, ...statements: string[]): Migration => ({ id, name: `step ${id}`, sql: () => statements })

forEachEngine('migrations', (engine) => {
  test('bring an empty database to the schema of today, once', async () => {
    await using ground = await newTestDatabase(engine)
    const { database } = ground
    assert.deepEqual(await database.read(pendingMigrations(engine)), migrations)
    assert.deepEqual(await migrate(database, 1_000), migrations)
    const today = await tablesIn(database)
    for (const table of ['api_keys', 'idempotency_records', 'migrations', 'monitors', 'organizations']) {
      assert.ok(today.includes(table), table)
    }
    assert.deepEqual(await database.read(pendingMigrations(engine)), [])
    assert.deepEqual(await migrate(database, 2_000), [])
    assert.deepEqual(await tablesIn(database), today)
    const [row] = await database.read(execute(sql.raw<{ at: number }>('select max(applied_at) as at from migrations')))
    assert.equal(row?.at, 1_000)
  })

  test('have numbers that only grow', () => {
    const ids = migrations.map(({ id }) => id)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(ids).size, ids.length)
  })

  test('are applied once, however many nodes start at the same moment', async () => {
    await using ground = await newTestDatabase(engine)
    const nodes = [ground.database, ...(await Promise.all(Array.from({ length: 4 }, () => ground.open())))]
    const applied = await Promise.all(nodes.map((node) => migrate(node, Date.now())))
    assert.deepEqual(applied.map((list) => list.length).toSorted(), [0, 0, 0, 0, migrations.length])
  })

  test('go on from where an older version left off', async () => {
    await using ground = await newTestDatabase(engine)
    const [first, second] = [step(1, 'create table a (x bigint)'), step(2, 'create table b (x bigint)')]
    await migrate(ground.database, 1, [first])
    assert.deepEqual(await ground.database.read(pendingMigrations(engine, [first, second])), [second])
    assert.deepEqual(await migrate(ground.database, 2, [first, second]), [second])
    assert.deepEqual(await tablesIn(ground.database), ['a', 'b', 'migrations'])
  })

  test('refuse a database that a newer version has used, and leave it as it is', async () => {
    await using ground = await newTestDatabase(engine)
    const older = [step(1, 'create table a (x bigint)')]
    await migrate(ground.database, 1, [...older, step(7, 'create table future (x bigint)')])
    const refusal = (error: unknown) =>
      error instanceof StorageUnusable &&
      /newer Pharos \(it has migration 7, this version knows 1\)/.test(error.message)
    await assert.rejects(migrate(ground.database, 2, older), refusal)
    await assert.rejects(async () => ground.database.read(pendingMigrations(engine, older)), refusal)
    assert.deepEqual(await tablesIn(ground.database), ['a', 'future', 'migrations'])
  })

  test('that fail leave nothing behind, not even of the steps that went well', async () => {
    await using ground = await newTestDatabase(engine)
    const broken = [step(1, 'create table a (x bigint)'), step(2, 'create table b (x bigint)', 'create nonsense')]
    await assert.rejects(migrate(ground.database, 1, broken), /nonsense|syntax/)
    assert.deepEqual(await tablesIn(ground.database), [])
    await migrate(ground.database, 2, broken.slice(0, 1))
    assert.deepEqual(await tablesIn(ground.database), ['a', 'migrations'])
  })
})
