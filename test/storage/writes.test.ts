import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type Database, UniqueViolation } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { all, type DbWork, execute, q, run, statement } from '../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { newTestDatabase, type TestDatabase } from './test-database.ts'

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
  throw new Error('changed my mind')
}

const namesIn = async (database: Database): Promise<string[]> =>
  (await database.read(all(names, {}))).map(({ name }) => name)

async function migrated(engine: Database['engine']): Promise<TestDatabase> {
  const ground = await newTestDatabase(engine)
  await migrate(ground.database, Date.now())
  return ground
}

/** What another process sees at this moment. */
function seenIn(file: string): number {
  const other = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(other.prepare('select count(*) as n from settings').get()?.n)
  } finally {
    other.close()
  }
}

forEachEngine('writes', (engine) => {
  test('that throw leave nothing behind and take nothing else with them', async () => {
    await using ground = await migrated(engine)
    const { database } = ground
    const results = await Promise.allSettled([
      database.write(() => put('a')),
      database.write(() => putAndFail('b')),
      database.write(() => put('a')),
      database.write(() => put('c')),
    ])
    const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name))
    // On PostgreSQL either of the two that want the same place may have it.
    assert.deepEqual(outcomes.toSorted(), ['Error', 'UniqueViolation', 'a', 'c'])
    assert.deepEqual(await namesIn(database), ['a', 'c'])
    assert.ok(results.some((result) => result.status === 'rejected' && result.reason instanceof UniqueViolation))
  })

  test('are seen by every node once they have settled', async () => {
    await using ground = await migrated(engine)
    const other = await ground.open()
    for (let i = 0; i < 20; i += 1) {
      const name = await ground.database.write(() => put(`n${i}`))
      assert.ok((await namesIn(other)).includes(name))
    }
  })

  test('of many at once all happen', async () => {
    await using ground = await migrated(engine)
    const wanted = Array.from({ length: 600 }, (_, i) => `n${String(i).padStart(3, '0')}`)
    assert.deepEqual(await Promise.all(wanted.map((name) => ground.database.write(() => put(name)))), wanted)
    assert.deepEqual(await namesIn(ground.database), wanted)
  })

  test('that wait for each other in a circle are tried again, and both happen', async () => {
    await using ground = await migrated(engine)
    const { database } = ground
    await database.write(() => put('a'))
    await database.write(() => put('b'))
    let tries = 0
    const both = (first: string, second: string, value: string) =>
      database.write(function* () {
        tries += 1
        yield* run(update, { name: first, value })
        if (engine === 'postgres') yield* execute(sql`select pg_sleep(0.2)`)
        yield* run(update, { name: second, value })
      })
    await Promise.all([both('a', 'b', '1'), both('b', 'a', '2')])
    // On SQLite they come one after the other. On PostgreSQL one of them must fail, and may meet the other again.
    assert.ok(engine === 'postgres' ? tries >= 3 : tries === 2, `${tries} tries`)
    const rows = await database.read(execute(q.selectFrom('settings').select('value').where('name', 'in', ['a', 'b'])))
    assert.equal(rows.length, 2)
    assert.equal(rows[0]?.value, rows[1]?.value, 'the later of the two wrote both')
  })
})

test('SQLite: what arrives together is committed together, and nobody is told before that', async () => {
  await using ground = await migrated('sqlite')
  const { database, file } = ground
  const before = seenIn(file)
  const writes = Array.from({ length: 100 }, (_, i) => database.write(() => put(`n${i}`)))
  const told: number[] = []
  for (const write of writes) void write.then(() => told.push(seenIn(file) - before))
  assert.equal(seenIn(file), before, 'nothing is stored yet')
  await Promise.resolve()
  assert.deepEqual(told, [], 'and nobody is told yet')
  await Promise.all(writes)
  assert.deepEqual(new Set(told), new Set([100]), 'the first one told sees all hundred')
})

test('SQLite: while another process writes, the event loop goes on and the write waits its turn', async () => {
  await using ground = await migrated('sqlite')
  const other = new DatabaseSync(ground.file)
  other.exec('begin immediate')
  let settled = false
  const writing = ground.database
    .write(() => put('patient'))
    .then(() => {
      settled = true
    })
  let longest = 0
  let last = performance.now()
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 5)
  await delay(600)
  clearInterval(beat)
  assert.equal(settled, false)
  assert.ok(longest < 400, `the loop stood still for ${longest} ms`)
  other.exec('commit')
  other.close()
  await writing
  assert.deepEqual(await namesIn(ground.database), ['patient'])
})

test('PostgreSQL: a lost connection fails one write, and harms nothing else', { skip: withoutPostgres }, async () => {
  await using ground = await migrated('postgres')
  const { database, url } = ground
  const killer = new pg.Client({ connectionString: url })
  await killer.connect()
  const terminate = () =>
    killer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  const doomed = assert.rejects(
    database.write(function* () {
      yield* put('lost')
      yield* execute(sql`select pg_sleep(20)`)
    }),
  )
  const between = assert.rejects(
    database.write(function* () {
      yield* put('also lost')
      for (;;) yield* execute(sql`select pg_sleep(0.01)`)
    }),
  )
  const lock = await database.tryLock('held')
  await delay(300)
  await terminate()
  await Promise.all([doomed, between])
  await lock?.release()
  // Idle connections were cut too; each is noticed and replaced.
  await delay(100)
  assert.equal(await database.write(() => put('after')), 'after')
  assert.deepEqual(await namesIn(database), ['after'])
  assert.ok(await database.tryLock('held'))
  await killer.end()
})

test('SQLite: a full disk fails what does not fit, tells the truth about the rest, and passes', async () => {
  await using ground = await migrated('sqlite')
  const { database } = ground
  const pragma = async (text: string) => {
    const [row] = await database.read(execute(sql.raw<Record<string, number>>(`pragma ${text}`)))
    return Object.values(row ?? {})[0] as number
  }
  // As full as a disk can be: not one page more than there are already.
  await pragma(`max_page_count = ${await pragma('page_count')}`)
  const wanted = ['a', 'b', 'huge', 'c', 'd']
  const results = await Promise.allSettled(
    wanted.map((name) => database.write(() => put(name, name === 'huge' ? 'x'.repeat(2_000_000) : ''))),
  )
  assert.equal(results[2]?.status, 'rejected')
  const told = wanted.filter((_, i) => results[i]?.status === 'fulfilled')
  assert.deepEqual(await namesIn(database), told, 'what was promised is there, and nothing else')
  await assert.rejects(
    database.write(() => put('more', 'x'.repeat(2_000_000))),
    /full/,
  )
  await pragma('max_page_count = 1000000')
  assert.equal(await database.write(() => put('later', 'x'.repeat(2_000_000))), 'later')
  assert.deepEqual(await namesIn(database), [...told, 'later'].toSorted())
})
