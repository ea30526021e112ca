import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Database, UniqueViolation } from '../../src/storage/database.ts'
import { addToListWithin, countInList, lastAdded } from '../../src/storage/list-index.ts'
import {
  all,
  cacheable,
  constant,
  type DbRead,
  type DbWork,
  derived,
  execute,
  first,
  inOneSnapshot,
  q,
  send,
  sideBySide,
  statement,
} from '../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { addNode } from '../support/nodes.ts'
import { connectTo } from '../support/postgres.ts'
import { databaseWithoutSettings } from './test-database.ts'

interface Setting {
  name: string
  value: string
}

const insert = statement((row: Setting) => q.insertInto('settings').values({ name: row.name, value: row.value }))
const byName = statement(({ name }: { name: string }) =>
  q.selectFrom('settings').select(['name', 'value']).where('name', '=', name),
)
const names = cacheable((_: object) => q.selectFrom('settings').select('name').orderBy('name'))

const namesIn = async (database: Database): Promise<string[]> =>
  (await database.read(all(names, {}))).map(({ name }) => name)

forEachEngine('send', (engine) => {
  test('writes everything in order, also as the first and the last step', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    const seen = await database.write(function* () {
      yield* send(insert, { name: 'a', value: '1' })
      yield* send(insert, { name: 'b', value: '2' })
      const found = yield* first(byName, { name: 'b' })
      yield* send(insert, { name: 'c', value: '3' })
      return found?.value
    })
    assert.equal(seen, '2')
    assert.deepEqual(await namesIn(database), ['a', 'b', 'c'])
  })

  for (const reads of [true, false]) {
    test(`an error ${reads ? 'before another step' : 'at the commit'} is explained, and nothing is written`, async () => {
      await using fixture = await databaseWithoutSettings(engine)
      const { database } = fixture
      await database.write(() => send(insert, { name: 'taken', value: '' }))
      const write = database.write(function* () {
        yield* send(insert, { name: 'a', value: '' })
        yield* send(insert, { name: 'taken', value: '' }, (error) => {
          return error instanceof UniqueViolation ? new RangeError('taken already', { cause: error }) : error
        })
        yield* send(insert, { name: 'b', value: '' })
        if (reads) yield* first(byName, { name: 'a' })
      })
      await assert.rejects(write, { name: 'RangeError', message: 'taken already' })
      assert.deepEqual(await namesIn(database), ['taken'])
    })
  }

  test('nothing is written if the work throws afterwards', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    const write = database.write(function* () {
      yield* send(insert, { name: 'a', value: '' })
      throw new Error('failed on purpose')
    })
    await assert.rejects(write, /on purpose/)
    assert.deepEqual(await namesIn(database), [])
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => database.write(() => send(insert, { name: `n${i}`, value: '' }))),
    )
    assert.equal((await namesIn(database)).length, 20)
  })

  test('what is derived from rows follows every change', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    for (let i = 1; i <= 5; i += 1) {
      await database.write(() => send(insert, { name: `n${i}`, value: '' }))
      const count = () => database.read(derived(names, {}, (rows) => ({ count: rows.length })))
      assert.deepEqual([await count(), await count()], [{ count: i }, { count: i }])
    }
  })
})

forEachEngine('a lock of a transaction', (engine) => {
  test('is refused while a lock of the same name is held, and free afterwards', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    const isLocked = () =>
      database.write(function* () {
        return (yield* database.firstUnderLock('key', byName, { name: 'a' })).isLocked
      })
    assert.equal(await isLocked(), true)
    await addNode(database, 'self')
    const lock = await database.tryLock('key')
    assert.ok(lock)
    assert.equal(await isLocked(), false)
    await lock.release()
    assert.equal(await isLocked(), true)
  })

  test('one of many transactions at a time holds it, and sees what the previous holder wrote', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const databases = [fixture.database, await fixture.open()]
    const attempt = (database: Database, i: number): DbWork<string> =>
      (function* () {
        const { isLocked, row } = yield* database.firstUnderLock('key', byName, { name: 'answer' })
        if (row !== undefined) return 'found'
        if (!isLocked) return 'refused'
        yield* send(insert, { name: 'answer', value: `${i}` })
        return 'written'
      })()
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const database = databases[i % 2] as Database
        return database.write(() => attempt(database, i))
      }),
    )
    assert.equal(outcomes.filter((outcome) => outcome === 'written').length, 1)
    assert.equal(await fixture.database.write(() => attempt(fixture.database, 41)), 'found')
  })
})

const insertNumbered = statement(({ orgId, name }: { orgId: string; name: string }) =>
  q.insertInto('settings').values({ name, value: lastAdded(orgId, 'monitor') as never }),
)

forEachEngine('a limited list', (engine) => {
  test('never grows above its limit, and numbers what was added', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const databases = [fixture.database, await fixture.open()]
    const add = (i: number) => {
      const database = databases[i % 2] as Database
      return database.write(function* () {
        yield* addToListWithin('org', 'monitor', 25, () => new RangeError('full'))
        yield* send(insertNumbered, { orgId: 'org', name: `n${i}` })
      })
    }
    // Another process of SQLite's file is busy for a while; only one node uses it.
    const results = await Promise.allSettled(Array.from({ length: 60 }, (_, i) => add(engine === 'sqlite' ? i * 2 : i)))
    const failed = results.filter((result) => result.status === 'rejected')
    assert.equal(failed.length, 35)
    for (const { reason } of failed) assert.equal(reason.message, 'full')
    assert.equal(await fixture.database.read(countInList('org', 'monitor')), 25)
    const rows = await fixture.database.read(all(values, {}))
    assert.deepEqual(
      rows.map(({ value }) => Number(value)).sort((a, b) => a - b),
      Array.from({ length: 25 }, (_, i) => i),
    )
  })

  test('a limit of zero has room for nothing, and no limit for everything', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    const add = (limit: number) =>
      database.write(() => addToListWithin('org', 'monitor', limit, () => new RangeError()))
    await assert.rejects(add(0), RangeError)
    await add(Number.POSITIVE_INFINITY)
    await assert.rejects(add(1), RangeError)
    assert.equal(await database.read(countInList('org', 'monitor')), 1)
  })
})

const values = statement((_: object) => q.selectFrom('settings').select('value'))

test('a read in one snapshot does not see a commit that happens meanwhile (postgres)', {
  skip: withoutPostgres,
}, async () => {
  await using fixture = await databaseWithoutSettings('postgres')
  const { database } = fixture
  await database.write(() => send(insert, { name: 'a', value: '' }))
  const count = function* (): DbWork<number> {
    return (yield* all(names, {})).length
  }
  let isCommitted = false
  const counts = await database.read(
    (function* () {
      yield* inOneSnapshot()
      const before = yield* count()
      void database
        .write(() => send(insert, { name: 'b', value: '' }))
        .then(() => {
          isCommitted = true
        })
      while (!isCommitted) yield* count()
      return [before, yield* count()]
    })(),
  )
  assert.deepEqual(counts, [1, 1])
  assert.equal(await database.read(count()), 2)
})

forEachEngine('reads side by side', (engine) => {
  test('return the rows of each, in as many rounds as the longest needs', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    for (const name of ['a', 'b']) await database.write(() => send(insert, { name, value: name }))
    const twice = function* (): DbRead<readonly unknown[]> {
      const one = yield* first(byName, { name: 'a' })
      return [one?.value, (yield* first(byName, { name: 'b' }))?.value]
    }
    const found = await database.read(sideBySide(twice(), all(values, {}), constant(7), all(names, {})))
    assert.deepEqual(found, [['a', 'b'], [{ value: 'a' }, { value: 'b' }], 7, [{ name: 'a' }, { name: 'b' }]])
    assert.deepEqual(await database.read(sideBySide()), [])
    const faulty = execute(q.selectFrom('no_such_table' as 'settings').select('name'))
    await assert.rejects(database.read(sideBySide(all(values, {}), faulty, all(values, {}))), /no_such_table/)
    assert.equal((await database.read(all(values, {}))).length, 2)
  })
})

test('reads side by side run in order on one connection, and each sees the latest commits (postgres)', {
  skip: withoutPostgres,
}, async () => {
  await using fixture = await databaseWithoutSettings('postgres')
  const { database } = fixture
  await using blocker = await connectTo(fixture.url)
  await blocker.query('select pg_advisory_lock(1)')
  const pid = () => execute(q.selectNoFrom(sql<number>`pg_backend_pid()`.as('pid')))
  const wait = execute(q.selectNoFrom(sql`pg_advisory_xact_lock(1)`.as('locked')))
  const reading = database.read(sideBySide(all(values, {}), pid(), wait, pid(), all(values, {})))
  await eventually(async () => {
    const { rows } = await blocker.query("select 1 from pg_locks where locktype = 'advisory' and not granted")
    assert.equal(rows.length, 1)
  })
  await database.write(() => send(insert, { name: 'a', value: '' }))
  await blocker.query('select pg_advisory_unlock(1)')
  const [before, [one], , [other], after] = await reading
  assert.equal(before.length, 0)
  assert.equal(one?.pid, other?.pid)
  assert.equal(after.length, 1)
})

test('a statement that waits for a lock delays no other read (postgres)', { skip: withoutPostgres }, async () => {
  await using fixture = await databaseWithoutSettings('postgres')
  await using blocker = await connectTo(fixture.url)
  await blocker.query('begin')
  await blocker.query('lock table organizations in access exclusive mode')
  // The rate limiter reads organizations, the list of names does not.
  const counting = fixture.database.rateLimiter.countRequest('hash', '127.0.0.1')
  assert.deepEqual(await namesIn(fixture.database), [])
  await blocker.query('commit')
  assert.equal((await counting).used, 1)
})
