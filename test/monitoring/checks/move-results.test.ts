import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { maintainResults } from '../../../src/monitoring/checks/merge-results.ts'
import { appendResults, OPEN_TABLES, type RawResult } from '../../../src/monitoring/checks/raw-results.ts'
import { findChecks } from '../../../src/monitoring/statistics/find-checks.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { migratedTestDatabase, type TestDatabase } from '../../storage/test-database.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { allChecks } from './stored-history.ts'

const START = Date.UTC(2025, 0, 1, 12)
/** Another table is in turn then. */
const LATER = START + HOUR_MS + 7 * MINUTE_MS
const MONITORS = 300
const EACH = 10

async function filled(engine: Engine): Promise<TestDatabase> {
  const made = await migratedTestDatabase(engine)
  await append(made.database, START)
  return made
}

/** Results of all monitors, in one open table. */
function append(database: Database, from: number): Promise<void> {
  const results: RawResult[] = Array.from({ length: MONITORS * EACH }, (_, i) => ({
    ...{ num: 1 + (i % MONITORS), at: from + i * 10, state: 'UP', responseMs: i % 7, keepDays: 90 },
  }))
  return database.write(() => appendResults(results))
}

async function totalOf(database: Database, num: number): Promise<number> {
  return (await database.read(findChecks(num, allChecks, { limit: 1, offset: 0 }))).total
}

async function openRows(database: Database): Promise<number> {
  const tables = await Promise.all(
    OPEN_TABLES.map((table) => database.read(execute(q.selectFrom(table).select('num')))),
  )
  return tables.flat().length
}

/** Reads the open tables in a transaction that stays open, as a backup does. */
async function longRead(engine: Engine, { file, url }: TestDatabase): Promise<AsyncDisposable> {
  const reads = OPEN_TABLES.map((table) => `select num from ${table} limit 1;`).join(' ')
  if (engine === 'sqlite') {
    const session = new DatabaseSync(file)
    session.exec(`begin; ${reads}`)
    return { [Symbol.asyncDispose]: async () => session.close() }
  }
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  await session.query(`begin; ${reads}`)
  return { [Symbol.asyncDispose]: () => session.end() }
}

forEachEngine('moving results into blocks', (engine) => {
  test('goes on during a backup, again and again', async () => {
    await using made = await filled(engine)
    const { database } = made
    {
      await using _ = await longRead(engine, made)
      for (let round = 1; round <= 3; round += 1) {
        while (await maintainResults(database, LATER)) {}
        assert.equal(await openRows(database), 0)
        assert.equal(await totalOf(database, 7), round * EACH)
        await append(database, START + round * MINUTE_MS)
      }
    }
    while (await maintainResults(database, LATER)) {}
    assert.equal(await totalOf(database, 7), 4 * EACH)
  })

  test('never hides or doubles a result of a page', async () => {
    await using made = await filled(engine)
    const { database } = made
    let isMoved = false
    const moving = maintainResults(database, LATER).finally(() => {
      isMoved = true
    })
    for (let i = 0; !isMoved; i += 1) {
      assert.equal(await totalOf(database, 1 + (i % MONITORS)), EACH)
      // SQLite answers within the same turn of the event loop, in which nothing is moved.
      await setImmediate()
    }
    await moving
    assert.equal(await openRows(database), 0)
    assert.equal(await totalOf(database, 1), EACH)
  })

  test('is done by one at a time', async () => {
    await using made = await filled(engine)
    const { database } = made
    const other = await made.open()
    // On SQLite one process uses a file, and the lock is in its memory.
    const second = engine === 'sqlite' ? database : other
    const outcomes = await Promise.all([maintainResults(database, LATER), maintainResults(second, LATER)])
    assert.ok(outcomes.includes(true))
    while (await maintainResults(database, LATER)) {}
    assert.equal(await totalOf(database, 3), EACH)
    assert.equal(await openRows(database), 0)
  })
})
