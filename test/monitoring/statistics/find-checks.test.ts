import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { maintainResults } from '../../../src/monitoring/checks/merge-results.ts'
import { pruneNotableResults, recordNotableResults } from '../../../src/monitoring/checks/notable-results.ts'
import { appendResults } from '../../../src/monitoring/checks/raw-results.ts'
import { ensurePart } from '../../../src/monitoring/checks/result-parts.ts'
import { LOG_CHARACTERS, logLine } from '../../../src/monitoring/monitor-states/recent-log.ts'
import { type CheckState, findChecks, type StoredCheck } from '../../../src/monitoring/statistics/find-checks.ts'
import type { Database } from '../../../src/storage/database.ts'
import { type DbWork, execute, q } from '../../../src/storage/query.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { made, smallest } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'
import { migratedWorkspace, type Workspace } from '../../support/workspace.ts'
import { allChecks, maintain, openResults } from '../checks/stored-history.ts'

const START = Date.UTC(2025, 0, 1)
const MONITOR = 7

/** One check every seven minutes. Some days are all UP, some have one UP, some have everything. */
function checkAt(i: number): StoredCheck {
  const at = START + i * 7 * MINUTE_MS
  const day = Math.floor((at - START) / DAY_MS)
  const state: CheckState =
    day % 3 === 0
      ? 'UP'
      : day % 3 === 1
        ? i % 205 === 0
          ? 'UP'
          : 'DOWN'
        : ((['UP', 'DEGRADED', 'DOWN', 'INCONCLUSIVE'] as const)[i % 4] ?? 'UP')
  const failed = state === 'DOWN' || state === 'INCONCLUSIVE'
  return {
    at,
    state,
    responseMs: failed ? null : 80 + (i % 50),
    error: failed ? `Failure ${i}` : null,
    causeCode: state === 'DOWN' ? 'STATUS' : null,
  }
}

async function store(database: Database, checks: readonly StoredCheck[], keepDays: number): Promise<void> {
  for (const { at, state, responseMs, error, causeCode: code } of checks) {
    await database.write(function* () {
      if (state !== 'INCONCLUSIVE') yield* appendResults([{ num: MONITOR, at, state, responseMs, keepDays }])
      if (state !== 'UP') yield* recordNotableResults([{ num: MONITOR, at, state, responseMs, code, error, keepDays }])
    })
  }
}

interface Asked {
  readonly from: number
  readonly to: number
  readonly state: CheckState | undefined
}

/** Every page equals the same page of all checks, filtered here. */
async function expectPages(
  database: Database,
  all: readonly StoredCheck[],
  asked: Asked,
  limit: number,
): Promise<void> {
  const { from, to, state } = asked
  const expected = all
    .filter((check) => check.at >= from && check.at < to && (state === undefined || check.state === state))
    .toReversed()
  for (let offset = 0; offset <= expected.length; offset += limit) {
    const { checks, total } = await database.read(findChecks(MONITOR, asked, { limit, offset }))
    const what = `${JSON.stringify(asked)} at ${offset}`
    assert.equal(total, expected.length, what)
    assert.deepEqual(checks, expected.slice(offset, offset + limit), what)
  }
}

forEachEngine('checks of a monitor', (engine) => {
  test('are found by time and state on every page, before and after they are moved and counted', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await openResults(workspace)
    const perDay = Math.ceil(DAY_MS / (7 * MINUTE_MS))
    const all = Array.from({ length: 6 * perDay }, (_, i) => checkAt(i))
    const states = [undefined, 'UP', 'DEGRADED', 'DOWN', 'INCONCLUSIVE'] as const
    for (let day = 0; day < 6; day += 1) {
      // The plan changes in the middle of the fourth day.
      const half = Math.floor(perDay / 2)
      const its = all.slice(day * perDay, (day + 1) * perDay)
      await store(database, its.slice(0, half), day < 4 ? 90 : 365)
      await store(database, its.slice(half), day < 3 ? 90 : 365)
      if (day === 2) await maintain(database, START + day * DAY_MS + 5 * HOUR_MS)
      else if (day > 2) {
        // A table that is in turn is not moved.
        for (const minutes of [60, 70]) await maintain(database, (its.at(-1) as StoredCheck).at + minutes * MINUTE_MS)
      }
      const soFar = all.slice(0, (day + 1) * perDay)
      for (const state of states) await expectPages(database, soFar, { ...allChecks, state }, 97)
    }
    const edges = [
      [START + 5 * HOUR_MS, START + 4 * DAY_MS + 3 * HOUR_MS],
      [START + DAY_MS, START + 2 * DAY_MS],
      [START + 2 * DAY_MS + HOUR_MS, START + 2 * DAY_MS + 2 * HOUR_MS],
      [START - 9 * DAY_MS, START + HOUR_MS],
      [START + 5 * DAY_MS + HOUR_MS, START + 20 * DAY_MS],
    ] as const
    for (const [from, to] of edges) {
      for (const state of states) await expectPages(database, all, { from, to, state }, 61)
    }
    const counted = await database.read(execute(q.selectFrom('result_counts').selectAll()))
    assert.ok(counted.length >= 5, 'days that are over are counted')
  })

  test('that an earlier version has stored are found by state, without a reason', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await openResults(workspace)
    const checks = Array.from({ length: 400 }, (_, i) => checkAt(206 + i)).filter(
      ({ state }) => state !== 'INCONCLUSIVE',
    )
    await store(database, checks, 90)
    await maintain(database, START + 4 * DAY_MS)
    await maintain(database, START + 4 * DAY_MS + 10 * MINUTE_MS)
    await database.write(function* () {
      yield* execute(q.deleteFrom('notable_results'))
      yield* execute(q.updateTable('result_parts').set({ copied_at: null, counted_at: null }))
    })
    const held = await database.tryLock('counting results')
    assert.equal(await maintainResults(database, START + 4 * DAY_MS + HOUR_MS), false, 'another node does it')
    await held?.release()
    await maintain(database, START + 4 * DAY_MS + HOUR_MS)
    const expected = checks.map((check) => ({ ...check, error: null, causeCode: null }))
    for (const state of [undefined, 'UP', 'DEGRADED', 'DOWN'] as const) {
      await expectPages(database, expected, { ...allChecks, state }, 100)
    }
  })

  test('that an earlier version has stored are copied in several steps', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await openResults(workspace)
    const monitors = 2_500
    await database.write(function* () {
      const part = yield* ensurePart(engine, START, 90)
      // Only the last of all has a failure.
      yield* execute(sql`
        insert into ${sql.table(part)} (num, first_at, results)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(monitors)})
        select i, ${sql.lit(START)}, case when i = ${sql.lit(monitors)} then '0U1,1000D' else '0U1' end from n`)
      yield* execute(q.updateTable('result_parts').set({ copied_at: null }))
    })
    await maintain(database, START + DAY_MS)
    const copied = await database.read(execute(q.selectFrom('notable_results').select(['num', 'at', 'state'])))
    assert.deepEqual(copied, [{ num: monitors, at: START + 1_000, state: 3 }])
    const [part] = await database.read(execute(q.selectFrom('result_parts').select('copied_at')))
    assert.notEqual(part?.copied_at, null)
  })

  test('are counted again when late results arrive, and deleted with their day', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await openResults(workspace)
    const checks = Array.from({ length: 300 }, (_, i) => checkAt(206 + i))
    await store(database, checks.slice(0, 150), 2)
    await maintain(database, START + 3 * DAY_MS)
    await store(database, checks.slice(150), 2)
    await maintain(database, START + 3 * DAY_MS + HOUR_MS)
    await maintain(database, START + 3 * DAY_MS + HOUR_MS + 10 * MINUTE_MS)
    for (const state of [undefined, 'UP', 'DOWN'] as const)
      await expectPages(database, checks, { ...allChecks, state }, 100)
    const end = START + 6 * DAY_MS
    await maintain(database, end)
    while ((await database.write(() => pruneNotableResults(end, 500))) > 0) {
      // Until nothing is left.
    }
    assert.deepEqual(await database.read(findChecks(MONITOR, allChecks, { limit: 100, offset: 0 })), {
      checks: [],
      total: 0,
    })
    assert.deepEqual(await database.read(execute(q.selectFrom('result_counts').selectAll())), [])
    assert.deepEqual(await database.read(execute(q.selectFrom('notable_results').selectAll())), [])
  })
})

/** The number of checks of each day: some have few, some many, some none. */
const perDay = [1, 1, 2, 0, 6, 1, 40, 5, 3, 1, 0, 0, 1, 2, 1]

/** UP on days with one check, else various. */
function sparseChecks(): readonly StoredCheck[] {
  return perDay.flatMap((number, day) =>
    Array.from({ length: number }, (_, i) => {
      const state: CheckState = number === 1 ? 'UP' : ((['DOWN', 'UP', 'DEGRADED', 'DOWN'] as const)[i % 4] ?? 'UP')
      const isDown = state === 'DOWN'
      return {
        at: START + day * DAY_MS + i * 10 * MINUTE_MS + day,
        state,
        responseMs: isDown ? null : 80 + i,
        error: isDown ? `Failure ${day}` : null,
        causeCode: isDown ? 'STATUS' : null,
      }
    }),
  )
}

/** As if the monitor had saved these results. */
async function setLog(database: Database, checks: readonly StoredCheck[]): Promise<void> {
  const lines = checks.toReversed().map(({ at, state, responseMs }) => {
    return logLine({ at, state: state as 'UP', responseMs })
  })
  const log = lines.join('').padEnd(LOG_CHARACTERS, lines.at(-1) ?? ' ')
  await database.write(function* () {
    yield* execute(q.updateTable('monitor_states').set({ num: MONITOR }))
    yield* execute(q.updateTable('monitor_states').set({ recent_results: log.slice(0, LOG_CHARACTERS), memory: '{}' }))
  })
}

async function addMonitor(engine: Engine, workspace: Workspace): Promise<void> {
  await using server = await startTestServer(engine, workspace.storage)
  await made(server.client(), smallest('CRON'))
}

/** Until the results of this day are moved and counted. A table that is in turn is not moved. */
async function maintainAfter(database: Database, dayAt: number): Promise<void> {
  for (const minutes of [0, 10]) await maintain(database, dayAt + 30 * HOUR_MS + minutes * MINUTE_MS)
}

forEachEngine('few checks a day', (engine) => {
  test('are found on every page, with and without rows of their own and the log of the monitor', async () => {
    await using workspace = await migratedWorkspace(engine)
    await addMonitor(engine, workspace)
    const database = await openResults(workspace)
    const checks = sparseChecks()
    for (const [day] of perDay.entries()) {
      const its = checks.filter(({ at }) => Math.floor((at - START) / DAY_MS) === day)
      await store(database, its, day < 8 ? 90 : 365)
      await maintainAfter(database, START + day * DAY_MS)
    }
    const expectAll = async () => {
      for (const state of [undefined, 'UP', 'DEGRADED', 'DOWN'] as const) {
        for (const limit of [1, 4, 100]) await expectPages(database, checks, { ...allChecks, state }, limit)
        const [from, to] = [START + DAY_MS + HOUR_MS, START + 9 * DAY_MS]
        await expectPages(database, checks, { from, to, state }, 7)
      }
    }
    const up = q
      .selectFrom('notable_results')
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .where('state', '=', 1)
    const few = checks.filter(({ state, at }) => state === 'UP' && perDay[Math.floor((at - START) / DAY_MS)] !== 40)
    assert.deepEqual(await database.read(execute(up)), [{ rows: few.length }])
    await expectAll()
    await setLog(database, checks)
    await expectAll()
    // As an earlier version has counted them.
    await database.write(() => execute(q.deleteFrom('notable_results').where('state', '=', 1)))
    await expectAll()
    // A result of a counted day that arrives late is in the log first.
    const late = { ...(checks[0] as StoredCheck), at: START + HOUR_MS }
    await store(database, [late], 90)
    const all = [...checks, late].sort((a, b) => a.at - b.at)
    await setLog(database, [...checks.slice(-20), late])
    for (const state of [undefined, 'UP'] as const) await expectPages(database, all, { ...allChecks, state }, 9)
  })

  test('are read without the parts of their days', async () => {
    await using workspace = await migratedWorkspace(engine)
    await addMonitor(engine, workspace)
    const database = await openResults(workspace)
    const checks = Array.from({ length: 40 }, (_, day): StoredCheck => {
      return { at: START + day * DAY_MS, state: 'UP', responseMs: day, error: null, causeCode: null }
    })
    await store(database, checks, 90)
    await maintainAfter(database, START + 39 * DAY_MS)
    const counted = await database.read(execute(q.selectFrom('result_counts').select('up')))
    assert.equal(counted.length, 40)
    await setLog(database, checks)
    const parts = new Set<string>()
    const work = findChecks(MONITOR, allChecks, { limit: 30, offset: 5 })
    const found = await database.read(
      noting(work, (text) => {
        for (const [name] of text.matchAll(/result_blocks_\w+/g)) parts.add(name)
      }),
    )
    assert.deepEqual(found.checks, checks.toReversed().slice(5, 35))
    assert.deepEqual([...parts], [])
  })
})

/** Calls `note` with each query of the work that is built for one use. */
function* noting<T>(work: DbWork<T>, note: (query: string) => void): DbWork<T> {
  for (let step = work.next(); ; ) {
    if (step.done === true) return step.value
    note(JSON.stringify(step.value))
    step = work.next(yield step.value)
  }
}
