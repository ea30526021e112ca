import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { maintainResults } from '../../../src/monitoring/checks/merge-results.ts'
import { appendResults, OPEN_TABLES, type RawResult } from '../../../src/monitoring/checks/raw-results.ts'
import type { StoredResult } from '../../../src/monitoring/checks/result-blocks.ts'
import { findChecks, type StoredCheck } from '../../../src/monitoring/statistics/find-checks.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { startApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { made, smallest } from '../../support/monitors.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { allResults } from './all-results.ts'
import { allChecks, maintain, numOf, openResults } from './stored-history.ts'

const START = Date.UTC(2025, 0, 1)
const states = ['UP', 'UP', 'UP', 'DEGRADED', 'DOWN'] as const

/** Deterministic results of a monitor; some without a response time. */
function result(num: number, at: number, keepDays = 90): RawResult {
  const state = states[((num + at / 1000) % states.length) | 0] ?? 'UP'
  return { num, at, state, responseMs: state === 'DOWN' ? null : Math.floor(at / 1000) % 500, keepDays }
}

const plain = ({ at, state, responseMs }: StoredResult): StoredResult => ({ at, state, responseMs })

/** All pages of a monitor. */
async function pages(database: Database, num: number, limit: number): Promise<StoredResult[]> {
  const found: StoredCheck[] = []
  for (;;) {
    const { checks, total } = await database.read(findChecks(num, allChecks, { limit, offset: found.length }))
    found.push(...checks)
    if (checks.length === 0) {
      assert.equal(total, found.length)
      return found.map((check) => plain(check as StoredResult))
    }
  }
}

async function expectStored(database: Database, expected: readonly RawResult[], what: string): Promise<void> {
  const all = await allResults(database)
  assert.equal(all.length, expected.length, `${what}: each is stored once`)
  for (const [num, its] of Map.groupBy(expected, (one) => one.num)) {
    const newestFirst = its.map(plain).sort((a, b) => b.at - a.at)
    assert.deepEqual(await pages(database, num, 40), newestFirst, what)
  }
}

forEachEngine('stored results', (engine) => {
  test('are complete and in order in every page, before and after they are moved into blocks', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await openResults(workspace)
    const expected: RawResult[] = []
    for (let minute = 0; minute < 2 * 24 * 60; minute += 7) {
      const at = START + minute * MINUTE_MS
      // The plan changes on the second day; some results come two hours late.
      const keepDays = minute < 24 * 60 ? 90 : 365
      const batch = [1, 2, 3].map((num) => result(num, at + num * 1_000, keepDays))
      if (minute % 210 === 0) batch.push(result(4, at - 2 * HOUR_MS, keepDays))
      await database.write(() => appendResults(batch))
      expected.push(...batch)
      if (minute % 490 === 0) await maintain(database, at)
      if (minute % 1470 === 0) await expectStored(database, expected, `minute ${minute}`)
    }
    // A table that is in turn is not moved.
    for (const minutes of [60, 70]) await maintain(database, START + 2 * DAY_MS + minutes * MINUTE_MS)
    await expectStored(database, expected, 'at the end')
    for (const table of OPEN_TABLES)
      assert.equal((await database.read(execute(q.selectFrom(table).selectAll()))).length, 0)
  })

  test('are neither lost nor doubled when moving them is interrupted, and results arrive meanwhile', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await openResults(workspace)
    const expected: RawResult[] = []
    for (let i = 0; i < 9; i += 1) {
      const batch = Array.from({ length: 900 }, (_, k) => result(1 + ((i * 900 + k) % 500), START + i * 30_000 + k))
      await database.write(() => appendResults(batch))
      expected.push(...batch)
    }
    const later = START + HOUR_MS
    for (const stopAfterMs of [0, 5, 10, 20, 40, 80]) {
      await maintainResults(database, later, AbortSignal.timeout(stopAfterMs))
      // As if the clock had been set back: to the table that is being moved.
      const late = result(5_000 + stopAfterMs, START + 200_000)
      await database.write(() => appendResults([late]))
      expected.push(late)
      for (const { num } of [expected[0], late] as RawResult[]) {
        const mine = expected.filter((one) => one.num === num)
        assert.equal((await pages(database, num, 3)).length, mine.length, `stopped after ${stopAfterMs} ms`)
      }
    }
    await maintain(database, later)
    await expectStored(database, expected, 'at the end')
  })
})

forEachEngine('stored results of a monitor', (engine) => {
  test('include those that an earlier version has stored as rows', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await openResults(workspace)
    const expected: RawResult[] = []
    for (const [day, indexedAt] of [
      [0, START + DAY_MS],
      [1, null],
    ] as const) {
      const dayAt = START + day * DAY_MS
      const name = `results_2025010${day + 1}_90d`
      const rows = Array.from({ length: 3_000 }, (_, i) => result(1 + (i % 10), dayAt + i * 20_000))
      const values = rows.map(({ num, at, state, responseMs }) => {
        return `(${num}, ${at}, ${{ UP: 1, DEGRADED: 2, DOWN: 3 }[state]}, ${responseMs})`
      })
      await database.write(function* () {
        yield* execute(
          sql.raw(`create table ${name} (num bigint not null, at bigint not null, state smallint not null, ms bigint)`),
        )
        yield* execute(sql.raw(`insert into ${name} (num, at, state, ms) values ${values.join(', ')}`))
        if (indexedAt !== null) yield* execute(sql.raw(`create index ${name}_of on ${name} (num, at)`))
        yield* execute(
          q
            .insertInto('result_parts')
            .values({ name, day_at: dayAt, keep_days: 90, indexed_at: indexedAt, kind: 'rows' }),
        )
      })
      expected.push(...rows)
    }
    await maintain(database, START + 3 * DAY_MS)
    for (const num of [1, 7]) {
      const its = expected.filter((one) => one.num === num).map(plain)
      assert.deepEqual(await pages(database, num, 50), its.reverse())
    }
    // They are dropped after their retention time like others.
    await maintain(database, START + 93 * DAY_MS)
    assert.deepEqual(await pages(database, 1, 50), [])
    assert.deepEqual(await database.read(execute(q.selectFrom('result_parts').selectAll())), [])
  })

  test('are read from the log of the monitor first', async () => {
    await using target = await startHttpTarget()
    await using workspace = await migratedWorkspace(engine)
    const clock = new HandClock(START)
    const api = await startApi(engine, { ...workspace.storage, clock })
    const { client } = await api.tenant()
    const { id } = await made(client, smallest('HTTP', { url: target.url }))
    for (let i = 0; i < 5; i += 1) {
      clock.advance(MINUTE_MS)
      assert.equal((await client.post(`/monitors/${id}/check`, {})).status, 200)
    }
    await api.server.stop()
    const database = await openResults(workspace)
    const num = await numOf({ running: { database } }, id)
    const before = await pages(database, num, 2)
    assert.deepEqual(
      before.map(({ at, state }) => [at, state]),
      [5, 4, 3, 2, 1].map((i) => [START + i * MINUTE_MS, 'UP']),
    )
    await maintain(database, START + DAY_MS)
    assert.deepEqual(await pages(database, num, 2), before)
  })
})
