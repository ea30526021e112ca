import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { type CheckFilter, findChecks, type StoredCheck } from '../../../src/monitoring/check-results/find.ts'
import { pruneDeletedMonitors } from '../../../src/monitoring/check-results/remove.ts'
import { type ResultState, resultStates } from '../../../src/monitoring/monitor-states/result-log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { words } from '../../support/reasons.ts'
import { allChecks, numOf } from '../checks/stored-history.ts'
import { pruneResults } from './prune-results.ts'
import { storeChecks } from './store-checks.ts'

const START = Date.UTC(2025, 0, 1)

function check(at: number, state: ResultState, i: number): StoredCheck {
  const failed = state === 'DOWN' || state === 'INCONCLUSIVE'
  return {
    at,
    state,
    responseMs: failed ? null : 80 + (i % 50),
    error: failed ? words(`Failure ${i}`) : null,
    causeCode: state === 'DOWN' ? 'STATUS' : null,
  }
}

/** One check every seven minutes. Some days are all UP, some have one UP, some have everything. */
function checkAt(i: number): StoredCheck {
  const at = START + i * 7 * MINUTE_MS
  const day = Math.floor((at - START) / DAY_MS)
  if (day % 3 === 0) return check(at, 'UP', i)
  if (day % 3 === 1) return check(at, i % 205 === 0 ? 'UP' : 'DOWN', i)
  return check(at, resultStates[i % 4] as ResultState, i)
}

/** Every page equals the same page of all checks, filtered here. */
async function expectPages(
  database: Database,
  num: number,
  all: readonly StoredCheck[],
  filter: CheckFilter,
  limit: number,
): Promise<void> {
  const { from, to, state } = filter
  const expected = all
    .filter((one) => one.at >= from && one.at < to && (state === undefined || one.state === state))
    .toReversed()
  for (let offset = 0; offset <= expected.length; offset += limit) {
    const { checks, total } = await database.read(findChecks(num, filter, { limit, offset }))
    const what = `${JSON.stringify(filter)} at ${offset}`
    assert.equal(total, expected.length, what)
    assert.deepEqual(checks, expected.slice(offset, offset + limit), what)
  }
}

async function rowsOf(database: Database, num: number): Promise<readonly [blocks: number, reasons: number]> {
  const count = async (table: 'result_blocks' | 'check_reasons') =>
    (await database.read(execute(q.selectFrom(table).select('num').where('num', '=', num)))).length
  return [await count('result_blocks'), await count('check_reasons')]
}

forEachEngine('checks of a monitor', (engine) => {
  // By the system's clock the checks would have expired, and the server would delete them.
  const api = useApi(engine, { env: { PHAROS_ROLES: 'api' }, clock: new HandClock(START) })
  const states = [undefined, ...resultStates]

  async function monitor(): Promise<number> {
    const { client } = await api.tenant()
    return numOf(api.server, (await createMonitor(client, smallest('CRON'))).id)
  }

  test('are found by time and state on every page', async () => {
    const { database } = api.server.running
    const num = await monitor()
    const perDay = Math.ceil(DAY_MS / (7 * MINUTE_MS))
    const all = Array.from({ length: 6 * perDay }, (_, i) => checkAt(i))
    for (let day = 0; day < 6; day += 1) {
      await storeChecks(database, num, all.slice(day * perDay, (day + 1) * perDay))
      const soFar = all.slice(0, (day + 1) * perDay)
      for (const state of states) await expectPages(database, num, soFar, { ...allChecks, state }, 97)
    }
    const edges = [
      [START + 5 * HOUR_MS, START + 4 * DAY_MS + 3 * HOUR_MS],
      [START + DAY_MS, START + 2 * DAY_MS],
      [START + 2 * DAY_MS + HOUR_MS, START + 2 * DAY_MS + 2 * HOUR_MS],
      [START - 9 * DAY_MS, START + HOUR_MS],
      [START + 5 * DAY_MS + HOUR_MS, START + 20 * DAY_MS],
    ] as const
    for (const [from, to] of edges) {
      for (const state of states) await expectPages(database, num, all, { from, to, state }, 61)
    }
  })

  test('are found if there are few a day', async () => {
    const { database } = api.server.running
    const num = await monitor()
    const perDay = [1, 1, 2, 0, 6, 1, 40, 5, 3, 1, 0, 0, 1, 2, 1]
    const all = perDay.flatMap((number, day) =>
      Array.from({ length: number }, (_, i) =>
        check(START + day * DAY_MS + i * 10 * MINUTE_MS + day, number === 1 ? 'UP' : (resultStates[i % 4] as 'UP'), i),
      ),
    )
    await storeChecks(database, num, all)
    for (const state of states) {
      for (const limit of [1, 4, 100]) await expectPages(database, num, all, { ...allChecks, state }, limit)
    }
  })

  test('are found after the clock was set back', async () => {
    const { database } = api.server.running
    const num = await monitor()
    const checks = Array.from({ length: 300 }, (_, i) => checkAt(i))
    await storeChecks(database, num, [...checks.slice(100, 200), ...checks.slice(0, 100), ...checks.slice(200)])
    for (const state of states) await expectPages(database, num, checks, { ...allChecks, state }, 100)
  })

  test('are deleted with their monitor, at most 500 rows at a time', async () => {
    const { database } = api.server.running
    const { client } = await api.tenant()
    const [gone, kept] = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
    const nums = [await numOf(api.server, gone.id), await numOf(api.server, kept.id)] as const
    const failures = Array.from({ length: 1_200 }, (_, i) => check(START + i * MINUTE_MS, 'DOWN', i))
    for (const num of nums) await storeChecks(database, num, failures)
    assert.equal((await client.delete(`/monitors/${gone.id}`)).status, 200)
    // Two nodes at the same time, besides the server itself.
    const prune = () => database.write(() => pruneDeletedMonitors(500))
    await eventually(async () => {
      const deleted = await Promise.all([prune(), prune()])
      assert.ok(Math.max(...deleted) <= 501, `${deleted} rows`)
      assert.deepEqual(await rowsOf(database, nums[0]), [0, 0])
    })
    const [blocks, reasons] = await rowsOf(database, nums[1])
    assert.ok(blocks > 10 && reasons === 1_200, `${blocks} blocks, ${reasons} reasons`)
  })

  test('expire with their reasons', async () => {
    const { database } = api.server.running
    const num = await monitor()
    await storeChecks(
      database,
      num,
      Array.from({ length: 300 }, (_, i) => checkAt(206 + i)),
      2,
    )
    await pruneResults(database, START + 8 * DAY_MS)
    assert.deepEqual(await rowsOf(database, num), [0, 0])
  })
})
