import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../src/storage/database.ts'
import { cacheable, first, q, run, statement } from '../../src/storage/query.ts'
import { VERSION_CHECK_MS } from '../../src/storage/sqlite/row-cache.ts'
import { migratedTestDatabase, type TestDatabase } from './test-database.ts'

const read = cacheable(({ name }: { name: string }) =>
  q.selectFrom('settings').select('value').where('name', '=', name),
)
const write = statement(({ name, value }: { name: string; value: string }) =>
  q
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
)

let fixture: TestDatabase
let database: Database

before(async () => {
  fixture = await migratedTestDatabase('sqlite')
  database = fixture.database
})

after(() => fixture[Symbol.asyncDispose]())

const stored = async (name: string) => (await database.read(first(read, { name })))?.value

test('the next read sees a commit of the same process', async () => {
  for (let i = 0; i < 200; i += 1) {
    await database.write(() => run(write, { name: 'own', value: `${i}` }))
    assert.equal(await stored('own'), `${i}`)
  }
})

test('a read sees a commit of another process after the version check interval', async () => {
  using other = new DatabaseSync(fixture.file)
  const change = other.prepare(
    "insert into settings values ('other', ?) on conflict (name) do update set value = excluded.value",
  )
  for (let i = 0; i < 50; i += 1) {
    await stored('other')
    change.run(`${i}`)
    await setTimeout(2 * VERSION_CHECK_MS)
    assert.equal(await stored('other'), `${i}`)
  }
})

test('a transaction sees its own writes, and rolled-back rows are not cached', async () => {
  await database.write(() => run(write, { name: 'inner', value: 'before' }))
  assert.equal(await stored('inner'), 'before')
  const failing = database.write(function* () {
    yield* run(write, { name: 'inner', value: 'after' })
    const seen = yield* first(read, { name: 'inner' })
    throw new Error(seen?.value)
  })
  await assert.rejects(failing, /after/)
  assert.equal(await stored('inner'), 'before')
})

test('a repeated read returns the cached rows until the next commit', async () => {
  await database.write(() => run(write, { name: 'same', value: 'x' }))
  const one = await database.read(first(read, { name: 'same' }))
  assert.equal(await database.read(first(read, { name: 'same' })), one)
  await database.write(() => run(write, { name: 'same', value: 'x' }))
  assert.notEqual(await database.read(first(read, { name: 'same' })), one)
})
