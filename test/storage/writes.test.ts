import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Database, UniqueViolation } from '../../src/storage/database.ts'
import { all, type DbWork, execute, notifyWatchers, q, run, statement } from '../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { addNode } from '../support/nodes.ts'
import { connectTo } from '../support/postgres.ts'
import { databaseWithoutSettings } from './test-database.ts'

const insert = statement((row: { name: string; value: string }) =>
  q.insertInto('settings').values({ name: row.name, value: row.value }),
)
const update = statement((row: { name: string; value: string }) =>
  q.updateTable('settings').set({ value: row.value }).where('name', '=', row.name),
)
const names = statement((_: object) => q.selectFrom('settings').select('name').orderBy('name'))

function* put(name: string, value = ''): DbWork<string> {
  yield* run(insert, { name, value })
  return name
}

function* putAndFail(name: string): DbWork<void> {
  yield* put(name)
  throw new Error('failed on purpose')
}

const namesIn = async (database: Database): Promise<string[]> =>
  (await database.read(all(names, {}))).map(({ name }) => name)

/** The number of rows that another process sees. */
function committedRows(file: string): number {
  using other = new DatabaseSync(file, { readOnly: true })
  return Number(other.prepare('select count(*) as n from settings').get()?.n)
}

forEachEngine('write', (engine) => {
  test('rolls back work that throws, and nothing else', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    const results = await Promise.allSettled([
      database.write(() => put('a')),
      database.write(() => putAndFail('b')),
      database.write(() => put('a')),
      database.write(() => put('c')),
    ])
    const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name))
    // On PostgreSQL either of the two writes of the same name may succeed.
    assert.deepEqual(outcomes.toSorted(), ['Error', 'UniqueViolation', 'a', 'c'])
    assert.deepEqual(await namesIn(database), ['a', 'c'])
    assert.ok(results.some((result) => result.status === 'rejected' && result.reason instanceof UniqueViolation))
  })

  test('is visible to all nodes once it has resolved', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const other = await fixture.open()
    for (let i = 0; i < 20; i += 1) {
      const name = await fixture.database.write(() => put(`n${i}`))
      assert.ok((await namesIn(other)).includes(name))
    }
  })

  test('runs many concurrent writes', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const wanted = Array.from({ length: 600 }, (_, i) => `n${String(i).padStart(3, '0')}`)
    assert.deepEqual(await Promise.all(wanted.map((name) => fixture.database.write(() => put(name)))), wanted)
    assert.deepEqual(await namesIn(fixture.database), wanted)
  })

  test('retries after a deadlock', async () => {
    await using fixture = await databaseWithoutSettings(engine)
    const { database } = fixture
    await database.write(() => put('a'))
    await database.write(() => put('b'))
    let attempts = 0
    const holding = new Set<string>()
    const both = (first: string, second: string, value: string) =>
      database.write(function* () {
        attempts += 1
        yield* run(update, { name: first, value })
        holding.add(first)
        // Continues once both transactions hold their first row.
        while (engine === 'postgres' && holding.size < 2) yield* execute(sql`select pg_sleep(0.01)`)
        yield* run(update, { name: second, value })
      })
    await Promise.all([both('a', 'b', '1'), both('b', 'a', '2')])
    // SQLite runs them one after the other. On PostgreSQL one fails and may fail again.
    assert.ok(engine === 'postgres' ? attempts >= 3 : attempts === 2, `${attempts} attempts`)
    const rows = await database.read(execute(q.selectFrom('settings').select('value').where('name', 'in', ['a', 'b'])))
    assert.equal(rows.length, 2)
    assert.equal(rows[0]?.value, rows[1]?.value, 'the later transaction wrote both rows')
  })
})

test('on SQLite, work next to work that has failed runs once and is committed', async () => {
  await using fixture = await databaseWithoutSettings('sqlite')
  const { database } = fixture
  let runs = 0
  const counted = (name: string) =>
    database.write(function* () {
      runs += 1
      yield* notifyWatchers({ orgId: name, kind: 'test', id: null })
      return yield* put(name)
    })
  const failing = (before: () => DbWork<unknown>) =>
    database.write(function* () {
      yield* notifyWatchers({ orgId: 'failed', kind: 'test', id: null })
      yield* before()
      throw new Error('failed on purpose')
    })
  const notices: string[] = []
  database.watch({
    isActive: () => true,
    notify: (some) => void notices.push(...some.map(({ orgId }) => orgId)),
    connectionLost: () => undefined,
  })

  const reading = await Promise.allSettled([counted('a'), failing(() => all(names, {})), counted('b')])
  assert.deepEqual(
    reading.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(runs, 2)

  // The name exists, so the statement fails and writes nothing.
  const refused = await Promise.allSettled([counted('c'), database.write(() => put('a')), counted('d')])
  assert.deepEqual(
    refused.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(runs, 4)

  const writing = await Promise.allSettled([counted('e'), failing(() => put('lost')), counted('f')])
  assert.deepEqual(
    writing.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(runs, 6)

  assert.deepEqual(await Promise.all([counted('g'), counted('h')]), ['g', 'h'])
  assert.equal(runs, 8)
  assert.deepEqual(await namesIn(database), ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  assert.deepEqual(notices, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 'each once, and none of failed work')
})

test('SQLite commits concurrent writes together and resolves them after the commit', async () => {
  await using fixture = await databaseWithoutSettings('sqlite')
  const { database, file } = fixture
  const before = committedRows(file)
  const writes = Array.from({ length: 100 }, (_, i) => database.write(() => put(`n${i}`)))
  const seen: number[] = []
  for (const write of writes) void write.then(() => seen.push(committedRows(file) - before))
  assert.equal(committedRows(file), before, 'nothing is committed yet')
  await Promise.resolve()
  assert.deepEqual(seen, [], 'no write has resolved yet')
  await Promise.all(writes)
  assert.deepEqual(new Set(seen), new Set([100]), 'all are committed when the first resolves')
})

test('SQLite waits for the write lock of another process without blocking the event loop', async () => {
  await using fixture = await databaseWithoutSettings('sqlite')
  const other = new DatabaseSync(fixture.file)
  other.exec('begin immediate')
  let settled = false
  const writing = fixture.database
    .write(() => put('waiting'))
    .then(() => {
      settled = true
    })
  // SQLite blocks for 20 ms per attempt. If it blocked until the lock is free, these timers would never fire.
  for (let i = 0; i < 30; i += 1) await delay(1)
  assert.equal(settled, false)
  other.exec('commit')
  other.close()
  await writing
  assert.deepEqual(await namesIn(fixture.database), ['waiting'])
})

test('PostgreSQL replaces lost connections, and begins the transactions on them again', {
  skip: withoutPostgres,
}, async () => {
  await using fixture = await databaseWithoutSettings('postgres')
  const { database, url } = fixture
  await using killer = await connectTo(url)
  const terminate = () =>
    killer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  const attempts = { during: 0, between: 0 }
  const duringQuery = database.write(function* () {
    attempts.during += 1
    yield* put('during')
    if (attempts.during === 1) yield* execute(sql`select pg_sleep(20)`)
  })
  const betweenQueries = database.write(function* () {
    attempts.between += 1
    yield* put('between')
    while (attempts.between === 1) yield* execute(sql`select pg_sleep(0.01)`)
  })
  await addNode(database, 'self')
  const lock = await database.tryLock('held')
  const running = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and query like 'select pg_sleep%'`
  await eventually(async () => assert.equal((await killer.query(running)).rows[0].n, 2))
  await terminate()
  await Promise.all([duringQuery, betweenQueries])
  await lock?.release()
  await database.write(() => put('after'))
  assert.deepEqual(await namesIn(database), ['after', 'between', 'during'])
  await eventually(async () => assert.ok(await database.tryLock('held'), 'its release is repeated'))
})

test('SQLite: a full disk rejects exactly the writes that are not committed', async () => {
  await using fixture = await databaseWithoutSettings('sqlite')
  const { database } = fixture
  const pragma = async (text: string) => {
    const [row] = await database.read(execute(sql.raw<Record<string, number>>(`pragma ${text}`)))
    return Object.values(row ?? {})[0] as number
  }
  // Simulates a full disk: no page can be added.
  await pragma(`max_page_count = ${await pragma('page_count')}`)
  const wanted = ['a', 'b', 'huge', 'c', 'd']
  const results = await Promise.allSettled(
    wanted.map((name) => database.write(() => put(name, name === 'huge' ? 'x'.repeat(2_000_000) : ''))),
  )
  assert.equal(results[2]?.status, 'rejected')
  const resolved = wanted.filter((_, i) => results[i]?.status === 'fulfilled')
  assert.deepEqual(await namesIn(database), resolved)
  await assert.rejects(
    database.write(() => put('more', 'x'.repeat(2_000_000))),
    /full/,
  )
  await pragma('max_page_count = 1000000')
  assert.equal(await database.write(() => put('later', 'x'.repeat(2_000_000))), 'later')
  assert.deepEqual(await namesIn(database), [...resolved, 'later'].toSorted())
})
