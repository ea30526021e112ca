import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOr } from '../../src/storage/look-ahead.ts'
import { all, type DbWork, first, firstOfBoth, notifyWatchers, q, send, statement } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { migratedTestDatabase, type TestDatabase } from './test-database.ts'

const insert = statement((row: { name: string; value: string }) =>
  q.insertInto('settings').values({ name: row.name, value: row.value }),
)
const byName = statement(({ name }: { name: string }) =>
  q.selectFrom('settings').select(['name', 'value']).where('name', '=', name),
)
const named = statement(({ prefix }: { prefix: string }) =>
  q.selectFrom('settings').select('name').where('name', 'like', prefix).orderBy('name'),
)

async function withSettings(engine: 'sqlite' | 'postgres'): Promise<TestDatabase> {
  const fixture = await migratedTestDatabase(engine)
  await fixture.database.write(function* () {
    yield* send(insert, { name: 'x-a', value: '1' })
    yield* send(insert, { name: 'x-b', value: '2' })
  })
  return fixture
}

function* settingOf(name: string): DbWork<string | undefined> {
  return (yield* first(byName, { name }))?.value
}

forEachEngine('findOr', (engine) => {
  test('returns what is found, and the rest of the other work does not run', async () => {
    await using fixture = await withSettings(engine)
    const { database } = fixture
    const change = function* (): DbWork<string> {
      yield* settingOf('x-b')
      yield* send(insert, { name: 'x-c', value: '3' })
      return 'changed'
    }
    assert.equal(await database.write(() => findOr(settingOf('x-a'), change())), '1')
    assert.deepEqual(await database.read(all(named, { prefix: 'x-%' })), [{ name: 'x-a' }, { name: 'x-b' }])
  })

  test('runs the other work if nothing is found, with the rows of its first read', async () => {
    await using fixture = await withSettings(engine)
    const { database } = fixture
    const find = function* (): DbWork<string | undefined> {
      const [one, other] = yield* firstOfBoth([byName, { name: 'x-none' }], [byName, { name: 'x-nothing' }])
      assert.deepEqual([one, other], [undefined, undefined])
      return yield* settingOf('x-missing')
    }
    const change = function* (): DbWork<string> {
      yield* notifyWatchers({ orgId: 'org', kind: 'monitor', id: null })
      const names = yield* all(named, { prefix: 'x-%' })
      yield* send(insert, { name: 'x-c', value: names.map(({ name }) => name).join(' ') })
      return (yield* settingOf('x-c')) ?? ''
    }
    assert.equal(await database.write(() => findOr(find(), change())), 'x-a x-b')
  })

  test('runs work that begins with a change, and work without queries', async () => {
    await using fixture = await withSettings(engine)
    const { database } = fixture
    const change = function* (): DbWork<string> {
      yield* send(insert, { name: 'x-c', value: '3' })
      return (yield* settingOf('x-c')) ?? ''
    }
    assert.equal(await database.write(() => findOr(settingOf('x-none'), change())), '3')
    const nothing = function* (): DbWork<string> {
      yield* []
      return 'nothing'
    }
    assert.equal(await database.write(() => findOr(settingOf('x-none'), nothing())), 'nothing')
    const findNothing = function* (): DbWork<undefined> {
      yield* []
    }
    assert.equal(await database.write(() => findOr(findNothing(), settingOf('x-a'))), '1')
  })

  test('an error of the other work counts only if nothing is found', async () => {
    await using fixture = await withSettings(engine)
    const { database } = fixture
    const fail = function* (): DbWork<string> {
      yield* []
      throw new RangeError('failed at once')
    }
    assert.equal(await database.write(() => findOr(settingOf('x-a'), fail())), '1')
    await assert.rejects(
      database.write(() => findOr(settingOf('x-none'), fail())),
      RangeError,
    )
  })

  test('an error of the search ends the work, and an error of a statement reaches its work', async () => {
    await using fixture = await withSettings(engine)
    const { database } = fixture
    const find = function* (): DbWork<string | undefined> {
      yield* settingOf('x-a')
      throw new RangeError('refused')
    }
    await assert.rejects(
      database.write(() => findOr(find(), settingOf('x-b'))),
      RangeError,
    )
    const change = function* (): DbWork<string> {
      yield* settingOf('x-b')
      yield* send(insert, { name: 'x-a', value: '' }, () => new RangeError('taken'))
      return (yield* settingOf('x-a')) ?? ''
    }
    await assert.rejects(
      database.write(() => findOr(settingOf('x-none'), change())),
      /taken/,
    )
  })
})
