import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { openDatabase } from '../../../src/storage/open.ts'
import { type DbRead, type DbWork, execute, q, run, sideBySide, statement } from '../../../src/storage/query.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { closedPort } from '../../support/ports.ts'
import { connectTo, type FreshDatabase, migratedDatabase } from '../../support/postgres.ts'

const insert = statement((row: { name: string; value: string }) =>
  q.insertInto('settings').values({ name: row.name, value: row.value }),
)

function open(databaseUrl: string): Promise<Database> {
  const options = { databaseUrl, poolSize: 3, dataDir: '', rateLimit: { quota: 100, windowMs: 60_000 } }
  return openDatabase(options, systemClock, silentLog)
}

async function countOf(database: Database, name: string): Promise<number> {
  const rows = await database.read(execute(q.selectFrom('settings').select('name').where('name', '=', name)))
  return rows.length
}

function* slowly(n: number): DbRead<number | undefined> {
  const slow = q.selectNoFrom([sql<number>`cast(${n} as integer)`.as('n'), sql`pg_sleep(0.2)`.as('slept')])
  return (yield* execute(slow))[0]?.n
}

describe('a lost PostgreSQL connection', { skip: withoutPostgres }, () => {
  let own: FreshDatabase
  let proxy: DatabaseProxy
  let database: Database
  let name: string

  before(async () => {
    own = await migratedDatabase()
    proxy = await startDatabaseProxy()
    name = new URL(own.url).pathname.slice(1)
    database = await open(proxy.url(name))
  })
  after(async () => {
    await database.close()
    await proxy[Symbol.asyncDispose]()
    await own.drop()
  })

  test('is replaced, and reads go on', async () => {
    await Promise.all(Array.from({ length: 3 }, () => database.read(execute(sql`select pg_sleep(0.05)`))))
    proxy.cut()
    assert.equal(await countOf(database, 'none'), 0)
    const reading = database.read(slowly(7))
    setTimeout(() => proxy.cut(), 50)
    assert.equal(await reading, 7)
    const several = database.read(sideBySide(slowly(7), slowly(8)))
    setTimeout(() => proxy.cut(), 50)
    assert.deepEqual(await several, [7, 8])
  })

  test('is replaced, and requests are counted', async () => {
    const count = async () => (await database.rateLimiter.countRequest(undefined, '192.0.2.1')).used
    assert.equal(await count(), 1)
    proxy.cutAfter('count-requests')
    // The server may have counted it before the connection was lost.
    const used = await count()
    assert.ok(used === 2 || used === 3, `${used}`)
    assert.equal(await count(), used + 1)
  })

  test('before the commit: the transaction is begun again and happens once', async () => {
    let attempts = 0
    await database.write(function* (): DbWork<void> {
      attempts += 1
      yield* run(insert, { name: 'once', value: '' })
      if (attempts === 1) setTimeout(() => proxy.cut(), 20)
      if (attempts === 1) yield* execute(sql`select pg_sleep(0.5)`)
    })
    assert.equal(attempts, 2)
    assert.equal(await countOf(database, 'once'), 1)
  })

  test('by the end of the session (a restart): the transaction is begun again', async () => {
    let attempts = 0
    await database.write(function* (): DbWork<void> {
      attempts += 1
      yield* run(insert, { name: 'ended', value: '' })
      if (attempts === 1) yield* execute(sql`select pg_terminate_backend(pg_backend_pid())`)
    })
    assert.equal(attempts, 2)
    assert.equal(await countOf(database, 'ended'), 1)
  })

  test('during the commit: the outcome is unknown, and the transaction is not repeated', async () => {
    let attempts = 0
    proxy.cutAfter('commit')
    const writing = database.write(function* (): DbWork<void> {
      attempts += 1
      yield* run(insert, { name: 'unknown', value: '' })
    })
    await assert.rejects(writing, { name: 'OutcomeUnknown' })
    assert.equal(attempts, 1)
    assert.equal(await countOf(database, 'unknown'), 1, 'it was committed')
  })

  test('a transaction in which a statement failed is not reported as committed', async () => {
    const writing = database.write(function* (): DbWork<void> {
      yield* run(insert, { name: 'half', value: '' })
      try {
        yield* run(insert, { name: 'half', value: '' })
      } catch {
        // Continues although PostgreSQL has given up the transaction.
      }
    })
    await assert.rejects(writing, /rolled back/)
    assert.equal(await countOf(database, 'half'), 0)
  })

  test('the next host of DATABASE_URL is used', async () => {
    const url = proxy.url(name).replace('127.0.0.1', `127.0.0.1:${await closedPort()},127.0.0.1`)
    const several = await open(url)
    try {
      await several.ping()
      proxy.cut()
      assert.equal(await countOf(several, 'once'), 1)
    } finally {
      await several.close()
    }
  })

  test('a read-only database is refused with the reason', async () => {
    await using admin = await connectTo(own.url)
    try {
      await admin.query(`alter database ${name} set default_transaction_read_only = on`)
      const readOnly = await open(own.url)
      await assert.rejects(readOnly.ping(), /^DatabaseUnavailable: .*it is read-only/)
      await assert.rejects(
        readOnly.write(() => run(insert, { name: 'x', value: '' })),
        /read-only transaction/,
      )
      await readOnly.close()
      const url = new URL(own.url)
      url.searchParams.set('target_session_attrs', 'read-write')
      await assert.rejects(open(url.href), /^StorageUnusable: DATABASE_URL: cannot connect to .*: it is read-only/)
    } finally {
      await admin.query('set default_transaction_read_only = off')
      await admin.query(`alter database ${name} reset default_transaction_read_only`)
    }
    await database.ping()
  })
})
