import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../../src/storage/migrate.ts'
import type { Migration } from '../../../src/storage/migrations/migration.ts'
import { execute } from '../../../src/storage/query.ts'
import { emptyTestDatabase, type TestDatabase } from '../test-database.ts'

const step = (id: number, ...statements: string[]): Migration => ({
  id,
  name: `step ${id}`,
  compatibleFrom: 1,
  sql: () => statements,
})
const first = step(1, 'create table a (x bigint)', 'insert into a values (42)')
const second = step(2, 'alter table a add column y bigint')
const NOON = Date.UTC(2027, 0, 31, 12)
const DAY_MS = 86_400_000

function copiesOf({ storage }: TestDatabase): readonly string[] {
  return readdirSync(storage.dataDir)
    .filter((name) => name.includes('-schema-'))
    .sort()
}

test('a migration saves a private copy of the database first, and says where', async () => {
  await using fixture = await emptyTestDatabase('sqlite')
  const { database, storage } = fixture
  const reports: string[] = []
  const report = (text: string): void => void reports.push(text)
  await migrate(database, NOON, [first], report)
  assert.deepEqual([reports, copiesOf(fixture)], [[], []], 'an empty database is not copied')
  await migrate(database, NOON, [first, second], report)
  const name = 'pharos-schema-1-2027-01-31T12-00-00Z.db'
  assert.deepEqual(copiesOf(fixture), [name])
  const copy = `${storage.dataDir}/${name}`
  assert.deepEqual(reports, [`saving a copy of the database before the upgrade: ${copy}`])
  assert.equal(statSync(copy).mode & 0o777, 0o600)
  using old = new DatabaseSync(copy, { readOnly: true })
  assert.deepEqual({ ...old.prepare('select * from a').get() }, { x: 42 })
  await migrate(database, NOON + DAY_MS, [first, second], report)
  assert.equal(reports.length, 1, 'nothing to migrate, nothing to copy')
})

test('the newest two copies are kept', async () => {
  await using fixture = await emptyTestDatabase('sqlite')
  const reports: string[] = []
  const steps = Array.from({ length: 11 }, (_, i) => step(i + 1, `create table t${i} (x bigint)`))
  for (let known = 1; known <= steps.length; known += 1) {
    await migrate(fixture.database, NOON + known * DAY_MS, steps.slice(0, known), (text) => reports.push(text))
  }
  assert.deepEqual(copiesOf(fixture), [
    'pharos-schema-10-2027-02-11T12-00-00Z.db',
    'pharos-schema-9-2027-02-10T12-00-00Z.db',
  ])
  assert.match(reports.at(-1) ?? '', /^deleted an old copy of the database: .*-schema-8-.*\(the newest 2 are kept\)$/)
})

test('a migration that fails half way changes nothing, and removes its copy only', async () => {
  await using fixture = await emptyTestDatabase('sqlite')
  const { database } = fixture
  await migrate(database, NOON, [first])
  await migrate(database, NOON, [first, second])
  const kept = copiesOf(fixture)
  const broken = step(3, 'update a set x = 0', 'alter table a drop column y', 'create nonsense')
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const failing = migrate(database, NOON + attempt * DAY_MS, [first, second, broken])
    await assert.rejects(failing, /could not be upgraded, nothing was changed: .*nonsense/)
  }
  assert.deepEqual(copiesOf(fixture), kept)
  assert.deepEqual(await database.read(execute(sql`select * from a`)), [{ x: 42, y: null }])
  assert.deepEqual(await migrate(database, NOON, [first, second]), [])
})
