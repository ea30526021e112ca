import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { batch, insertRows, sendAll } from '../../src/storage/batch.ts'
import type { Database, Engine } from '../../src/storage/database.ts'
import { commitPortion, type DbWork, execute, q } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { migratedTestDatabase } from './test-database.ts'

const MANY = 40

/** A few milliseconds of work for each engine. */
function* slowly(engine: Engine): DbWork<void> {
  if (engine === 'postgres') yield* execute(sql`select pg_sleep(0.02)`)
  else {
    yield* execute(sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
      select count(*) as n from n`)
  }
}

forEachEngine('work that waits', (engine) => {
  test('takes turns by organization', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const [busy, other] = [fixture.database.forOrganization('org_a'), fixture.database.forOrganization('org_b')]
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    const works = Array.from({ length: MANY }, () => busy.write(() => slowly(engine)).then(note('a')))
    works.push(other.write(() => slowly(engine)).then(note('b')))
    await Promise.all(works)
    // Not behind all of the other organization.
    assert.ok(order.indexOf('b') < MANY / 2, order.join(''))
  })

  test('of an organization does not keep the connections from reads of another', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const [busy, other] = [fixture.database.forOrganization('org_a'), fixture.database.forOrganization('org_b')]
    let done = 0
    const works = Array.from({ length: MANY }, () => busy.write(() => slowly(engine)).then(() => (done += 1)))
    await Promise.race(works)
    await other.read(execute(q.selectFrom('settings').selectAll()))
    assert.ok(done < MANY / 2, `${done} of ${MANY} were before it`)
    await Promise.all(works)
  })
})

const put = batch<{ name: string; value: string }>({ name: 'text', value: 'text' }, (row, rows) =>
  insertRows('settings', { name: row.name, value: row.value }, rows),
)

const ROWS = Array.from({ length: 20_000 }, (_, i) => ({ name: `bulk-${i}`, value: '' }))

async function countRows(database: Database): Promise<number> {
  const names = q.selectFrom('settings').select(sql<number>`cast(count(*) as bigint)`.as('n'))
  return (await database.read(execute(names.where('name', 'like', 'bulk-%'))))[0]?.n ?? 0
}

forEachEngine('bulk work', (engine) => {
  test('lets other work run meanwhile, which sees nothing of it before the commit', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    let isDone = false
    const bulk = database
      .write(() => sendAll(put, ROWS), 'bulk')
      .finally(() => {
        isDone = true
      })
    const seen: number[] = []
    while (!isDone) {
      seen.push(await countRows(database))
      await nextTurn()
    }
    await bulk
    const before = seen.filter((rows) => rows === 0)
    assert.ok(before.length > 2, `${before.length} reads`)
    // SQLite shows a commit before it is on disk.
    assert.deepEqual(new Set(seen.slice(before.length)).difference(new Set([ROWS.length])), new Set())
    assert.equal(await countRows(database), ROWS.length)
  })

  test('that fails is rolled back, and what waits behind it runs', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    const failing = database.write(function* () {
      yield* sendAll(put, ROWS)
      yield* execute(q.selectFrom('settings').select('name').limit(1))
      throw new Error('failed on purpose')
    }, 'bulk')
    const behind = [
      database.write(() => sendAll(put, [{ name: 'bulk-behind', value: '' }]), 'bulk'),
      database.write(() => sendAll(put, [{ name: 'bulk-aside', value: '' }])),
    ]
    await assert.rejects(failing, /on purpose/)
    await Promise.all(behind)
    assert.equal(await countRows(database), 2)
  })

  test('in portions lets other writers in between, and loses at most what follows the last of them if it fails', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    const row = (name: string) => [{ name: `bulk-${name}`, value: '' }]
    let portions = 0
    const inPortions = database.write(function* () {
      for (portions = 0; portions < 1_000; portions += 1) {
        yield* sendAll(put, row(`portion-${portions}`))
        yield* commitPortion()
      }
      throw new Error('failed on purpose')
    }, 'bulk')
    let committed = 0
    for (let i = 0; i < 3; i += 1) {
      await database.write(() => sendAll(put, row(`aside-${i}`)))
      committed = portions
    }
    assert.ok(committed < 1_000, 'the writers waited for all portions')
    await assert.rejects(inPortions, /on purpose/)
    assert.ok((await countRows(database)) >= committed + 3)
  })
})
