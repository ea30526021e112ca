import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { allOf, batch, changedByEach, insertRows, sendAll, usingRows } from '../../src/storage/batch.ts'
import { UniqueViolation } from '../../src/storage/database.ts'
import { execute, q } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { databaseWithoutSettings, emptyTestDatabase } from './test-database.ts'

interface Setting {
  name: string
  value: string
}

const types = { name: 'text', value: 'text' } as const

const insert = batch<Setting>(types, ({ name, value }, rows) => insertRows('settings', { name, value }, rows))

const insertConstant = batch<{ name: string }>({ name: 'text' }, ({ name }, rows) =>
  insertRows('settings', { name, value: "it's constant" }, rows),
)

const remove = batch<{ name: string }>({ name: 'text' }, ({ name }, rows) =>
  usingRows(q.deleteFrom('settings as t'), rows).where('t.name', '=', name),
)

const update = batch<Setting, { i: number }>(types, (s, rows) => {
  const updated = q.updateTable('settings as t').set({ value: s.value }).where('t.name', '=', s.name)
  return (rows === undefined ? updated : updated.from(rows.table).returning(rows.index)) as typeof updated
})

const read = batch<{ name: string }, Setting>({ name: 'text' }, (key, rows) => {
  const found = q.selectFrom('settings as t').select(['t.name', 't.value'])
  const from = rows === undefined ? found : (found.innerJoin(rows.table, (on) => on.onTrue()) as typeof found)
  return from.where('t.name', '=', key.name)
})

const numbers = batch<{ one: number | null; two: number | null }, { sum: number | null }>(
  { one: 'bigint', two: 'smallint' },
  (v, rows) => sql<{ sum: number | null }>`select ${v.one} + ${v.two} as sum ${rows ? sql`from ${rows.table}` : sql``}`,
)

forEachEngine('a batch', (engine) => {
  test('that is sent is not awaited, and an error of it fails the transaction', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    const names = ['a', 'b', 'c'].map((name) => ({ name }))
    await database.write(function* () {
      yield* sendAll(insertConstant, names)
      yield* sendAll(remove, [{ name: 'b' }, { name: 'missing' }])
      yield* sendAll(remove, [])
    })
    const all = execute(q.selectFrom('settings').select(['name', 'value']).orderBy('name'))
    const left = ['a', 'c'].map((name) => ({ name, value: "it's constant" }))
    assert.deepEqual(await database.read(all), left)
    await assert.rejects(
      database.write(function* () {
        yield* sendAll(remove, names)
        yield* sendAll(insertConstant, [{ name: 'd' }, { name: 'd' }])
      }),
      UniqueViolation,
    )
    const again = execute(q.selectFrom('settings').select(['name', 'value']).orderBy('name'))
    assert.deepEqual(await database.read(again), left)
  })

  test('writes, changes and reads a list of rows, whatever characters they contain', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    const texts = ['', 'plain', '{"a":"b\\c"}', "it's", 'NULL', 'null', '{}', ',', '\\', '"', 'é\n\t🙂', ' ']
    const rows = texts.map((value, i) => ({ name: `n${i}`, value }))
    await database.write(() => allOf(insert, rows))
    const found = await database.read(allOf(read, rows))
    assert.deepEqual(
      found.toSorted((a, b) => Number(a.name.slice(1)) - Number(b.name.slice(1))),
      rows,
    )
    const changed = await database.write(() =>
      changedByEach(update, [
        { name: 'missing', value: '1' },
        { name: 'n3', value: '2' },
        { name: 'n1', value: '3' },
        { name: 'missing too', value: '4' },
      ]),
    )
    assert.deepEqual(changed, [false, true, true, false], 'in the order of the list')
    assert.deepEqual(await database.read(allOf(read, [{ name: 'n1' }])), [{ name: 'n1', value: '3' }])
  })

  test('takes numbers and nulls', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const rows = await fixture.database.read(
      allOf(numbers, [
        { one: 1_800_000_000_000, two: 7 },
        { one: -1, two: null },
      ]),
    )
    assert.deepEqual(new Set(rows.map(({ sum }) => sum)), new Set([1_800_000_000_007, null]))
  })

  test('of no rows runs nothing', async () => {
    await using fixture = await emptyTestDatabase(engine)
    assert.deepEqual(await fixture.database.read(allOf(read, [])), [], 'there is not even a table')
    assert.deepEqual(await fixture.database.write(() => changedByEach(update, [])), [])
  })
})
