import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { type Database, type Engine, StorageUnusable } from '../../src/storage/database.ts'
import { compareSchema, migrate, migrations } from '../../src/storage/migrate.ts'
import type { Migration } from '../../src/storage/migrations/migration.ts'
import { openDatabase } from '../../src/storage/open.ts'
import { all, execute, q, statement } from '../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo } from '../support/postgres.ts'
import { emptyTestDatabase, migratedTestDatabase } from './test-database.ts'

const tables: Readonly<Record<Engine, string>> = {
  sqlite: "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
  postgres: "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
}

async function tablesIn(database: Database): Promise<string[]> {
  const rows = await database.read(execute(sql.raw<{ name: string }>(tables[database.engine])))
  return rows.map(({ name }) => name)
}

async function missingIn(database: Database, steps = migrations): Promise<readonly Migration[]> {
  return (await database.read(compareSchema(database.engine, steps))).missing
}

const step = (id: number, ...statements: string[]): Migration => ({
  id,
  name: `step ${id}`,
  compatibleFrom: 1,
  sql: () => statements,
})

forEachEngine('migrations', (engine) => {
  test('bring an empty database to the current schema, once', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    assert.deepEqual(await missingIn(database), migrations)
    assert.deepEqual(await migrate(database, 1_000), migrations)
    const current = await tablesIn(database)
    for (const table of ['api_keys', 'idempotency_records', 'migrations', 'monitors', 'organizations']) {
      assert.ok(current.includes(table), table)
    }
    assert.deepEqual(await missingIn(database), [])
    assert.deepEqual(await migrate(database, 2_000), [])
    assert.deepEqual(await tablesIn(database), current)
    const [row] = await database.read(execute(sql.raw<{ at: number }>('select max(applied_at) as at from migrations')))
    assert.equal(row?.at, 1_000)
  })

  test('have ascending ids', () => {
    const ids = migrations.map(({ id }) => id)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(ids).size, ids.length)
  })

  test('are applied once by nodes that start at the same time', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const nodes = [fixture.database, ...(await Promise.all(Array.from({ length: 4 }, () => fixture.open())))]
    const applied = await Promise.all(nodes.map((node) => migrate(node, Date.now())))
    assert.deepEqual(applied.map((list) => list.length).toSorted(), [0, 0, 0, 0, migrations.length])
  })

  test('continue after those that are applied already', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const [first, second] = [step(1, 'create table a (x bigint)'), step(2, 'create table b (x bigint)')]
    await migrate(fixture.database, 1, [first])
    assert.deepEqual(await missingIn(fixture.database, [first, second]), [second])
    assert.deepEqual(await migrate(fixture.database, 2, [first, second]), [second])
    assert.deepEqual(await tablesIn(fixture.database), ['a', 'b', 'migrations'])
  })

  test('refuse the database of a newer version and leave it unchanged', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const older = [step(1, 'create table a (x bigint)')]
    const contracting = { ...step(7, 'create table future (x bigint)'), compatibleFrom: 6 }
    await migrate(fixture.database, 1, [...older, contracting])
    const refusal = (error: unknown) =>
      error instanceof StorageUnusable &&
      /newer version of Pharos \(schema 7, this version supports 1\)/.test(error.message)
    await assert.rejects(migrate(fixture.database, 2, older), refusal)
    await assert.rejects(missingIn(fixture.database, older), refusal)
    assert.deepEqual(await tablesIn(fixture.database), ['a', 'future', 'migrations'])
  })

  test('let an older version use a database to which a newer one has only added something', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const older = [step(1, 'create table a (x bigint)')]
    await migrate(fixture.database, 1, [...older, step(2, 'alter table a add column y bigint')])
    assert.deepEqual(await migrate(fixture.database, 2, older), [])
    assert.deepEqual(await fixture.database.read(compareSchema(engine, older)), { schema: 2, missing: [] })
  })

  test('show added columns to statements that a running server has prepared', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    const extra = sql<number>`7`.as('extra')
    const everything = statement((_: object) => q.selectFrom('settings').selectAll().select(extra))
    await database.write(() => execute(sql`insert into settings (name, value) values ('a', 'b')`))
    const read = () => database.read(all(everything, {}))
    // More than once, because a server prepares them again for each of its connections.
    await Promise.all(Array.from({ length: 10 }, read))
    const other = await fixture.open()
    await migrate(other, 1, [...migrations, step(2, "alter table settings add column added text default 'new'")])
    for (const [row] of await Promise.all(Array.from({ length: 10 }, read))) {
      assert.deepEqual({ ...row }, { name: 'a', value: 'b', added: 'new', extra: 7 })
    }
  })

  test('are rolled back together if one fails', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const broken = [step(1, 'create table a (x bigint)'), step(2, 'create table b (x bigint)', 'create nonsense')]
    await assert.rejects(
      migrate(fixture.database, 1, broken),
      /could not be upgraded, nothing was changed: .*(nonsense|syntax)/,
    )
    assert.deepEqual(await tablesIn(fixture.database), [])
    await migrate(fixture.database, 2, broken.slice(0, 1))
    assert.deepEqual(await tablesIn(fixture.database), ['a', 'migrations'])
  })

  test('build an index between transactions, and again after a build that failed', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    const table = step(1, 'create table a (x bigint)', 'insert into a values (1), (1)')
    const index: Migration = { ...step(2), index: { name: 'a_of_x', on: 'a (x)', unique: true } }
    const steps = [table, index, step(3, 'create table b (x bigint)')]
    await assert.rejects(migrate(database, 1, steps))
    assert.deepEqual(await missingIn(database, steps), steps.slice(1))
    await database.write(() => execute(sql`delete from a`))
    assert.deepEqual(await migrate(database, 2, steps), steps.slice(1))
    await database.write(() => execute(sql`insert into a values (1)`))
    await assert.rejects(
      database.write(() => execute(sql`insert into a values (1)`)),
      { name: 'UniqueViolation' },
    )
  })

  test('that build an index do nothing else', () => {
    for (const { index, sql: statements } of migrations) if (index) assert.deepEqual(statements(engine), [])
  })
})

test('PostgreSQL: a node waits for the migration of another, and says so', { skip: withoutPostgres }, async () => {
  await using fixture = await emptyTestDatabase('postgres')
  await using other = await connectTo(fixture.url)
  await other.query(`select pg_advisory_lock(hashtextextended('pharos migrate', 0))`)
  const { promise: waiting, resolve } = Promise.withResolvers<string>()
  const log = createLog('info', { write: resolve })
  const options = { databaseUrl: fixture.url, poolSize: 2, dataDir: '', rateLimit: { quota: 1, windowMs: 1 } }
  const database = await openDatabase(options, systemClock, log)
  try {
    const migrated = migrate(database, 1)
    assert.match(await waiting, /waiting for another node to finish \\"migrate\\"/)
    await other.query(`select pg_advisory_unlock_all()`)
    assert.equal((await migrated).length, migrations.length)
  } finally {
    await database.close()
  }
})

test('PostgreSQL: writers are not blocked while an index is built', { skip: withoutPostgres }, async () => {
  await using fixture = await emptyTestDatabase('postgres')
  const { database } = fixture
  await migrate(database, 1, [step(1, 'create table a (x bigint)')])
  // A build waits for transactions that began before it.
  await using open = await connectTo(fixture.url)
  await open.query('begin')
  await open.query('insert into a values (1)')
  const index: Migration = { ...step(2), index: { name: 'a_of_x', on: 'a (x)' } }
  const building = migrate(database, 2, [step(1), index])
  const isBuilding = sql<{ n: number }>`select count(*)::int as n from pg_stat_progress_create_index`
  await eventually(async () => assert.equal((await database.read(execute(isBuilding)))[0]?.n, 1))
  await database.write(() => execute(sql`insert into a values (2)`))
  await open.query('commit')
  await building
})

test('PostgreSQL: a table lock that is not granted does not hold up other statements', {
  skip: withoutPostgres,
}, async () => {
  await using fixture = await emptyTestDatabase('postgres')
  const { database } = fixture
  const first = step(1, 'create table a (x bigint)')
  await migrate(database, 1, [first])
  await using open = await connectTo(fixture.url)
  await open.query('begin')
  await open.query('insert into a values (1)')
  const changing = migrate(database, 2, [first, step(2, 'alter table a add column y bigint')])
  const waiting = sql<{ n: number }>`select count(*)::int as n from pg_locks where not granted`
  await eventually(async () => assert.equal((await database.read(execute(waiting)))[0]?.n, 1))
  // The transaction is still open, so that the change cannot have been made.
  await database.forRequests().write(() => execute(sql`insert into a values (2)`))
  assert.deepEqual(await missingIn(database, [first]), [])
  await open.query('commit')
  assert.equal((await changing).length, 1)
})
