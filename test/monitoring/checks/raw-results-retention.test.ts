import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanName } from '../../../src/accounts/plans/plans.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { OPEN_TABLES } from '../../../src/monitoring/checks/raw-results.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { startApi, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { made, smallest } from '../../support/monitors.ts'
import { type Client, startTestServer } from '../../support/server.ts'
import { setPlan } from '../../support/tables.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { migratedWorkspace, type Workspace } from '../../support/workspace.ts'
import {
  daysOf,
  maintain,
  numOf,
  openResults,
  partitionsOf,
  rawResults,
  rawResultsOf,
  recentOf,
  statsOver,
} from './stored-history.ts'

const START = Date.UTC(2025, 0, 1)
/** Ten minutes after the results of START have expired: the open table that they are in is not in turn. */
const EXPIRED = START + 31 * DAY_MS + HOUR_MS / 6

/** How many days raw results are kept, by plan. */
const kept: Readonly<Record<PlanName, number>> = { FREE: 30, STARTER: 90, PRO: 365, BUSINESS: 730, SELF_HOSTED: 90 }

async function check(client: Client, id: string): Promise<void> {
  const answer = await client.post(`/monitors/${id}/check`, {})
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function moveTo(clock: HandClock, at: number): Promise<void> {
  clock.advance(at - clock.now())
}

forEachEngine('raw results', (engine) => {
  dropped(engine)
  newPlans(engine)
  moved(engine)
})

/** A server at the beginning of the year, and a target for its monitors. */
async function newYear(engine: Engine, storage: Workspace['storage']) {
  const stack = new AsyncDisposableStack()
  const clock = new HandClock(START)
  const target = stack.use(await startHttpTarget())
  const api = await startApi(engine, { ...storage, clock })
  stack.defer(() => api.server.stop())
  return { api, clock, target, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const plansWith = (test: (days: number) => boolean): string[] =>
  Object.entries(kept).flatMap(([plan, days]) => (test(days) ? [plan] : []))

function dropped(engine: Engine): void {
  test('are dropped by whole days, after the retention time of each plan, to the millisecond', async () => {
    await using workspace = await migratedWorkspace(engine)
    const monitors = new Map<PlanName, string>()
    {
      await using stage = await newYear(engine, workspace.storage)
      stage.clock.advance(23 * HOUR_MS)
      for (const plan of Object.keys(kept) as PlanName[]) {
        const { client } = await stage.api.tenant(plan)
        const { id } = await made(client, smallest('HTTP', { url: stage.target.url }))
        monitors.set(plan, id)
        await check(client, id)
      }
    }
    const running = { database: await openResults(workspace) }
    const left = async (): Promise<string[]> => {
      const plans: string[] = []
      for (const [plan, id] of monitors) if ((await rawResultsOf({ running }, id)).length === 1) plans.push(plan)
      return plans
    }
    assert.deepEqual(await left(), Object.keys(kept))
    for (const days of new Set(Object.values(kept))) {
      // The day of the result and the days of the plan.
      const overAt = START + (days + 1) * DAY_MS
      await maintain(running.database, overAt - 1)
      assert.deepEqual(
        await left(),
        plansWith((one) => one >= days),
        `${days} d, a millisecond before`,
      )
      await maintain(running.database, overAt)
      assert.deepEqual(
        await left(),
        plansWith((one) => one > days),
        `${days} d`,
      )
    }
    assert.deepEqual(await partitionsOf({ running }), [])
  })

  test('are dropped by the server itself, while their roll-ups are kept', async () => {
    await using workspace = await migratedWorkspace(engine)
    let num: number
    {
      await using stage = await newYear(engine, workspace.storage)
      const { client } = await stage.api.tenant('FREE')
      const { id } = await made(client, smallest('HTTP', { url: stage.target.url, intervalSeconds: 86_400 }))
      num = await numOf(stage.api.server, id)
      await check(client, id)
      stage.clock.advance(HOUR_MS)
      await check(client, id)
      assert.equal((await rawResults(stage.api.server, num)).length, 2)
      // Otherwise the server would check it when it starts, and add a result.
      await client.post(`/monitors/${id}/pause`, {})
    }
    await using later = await startTestServer(engine, { ...workspace.storage, clock: new HandClock(EXPIRED) })
    await eventually(async () => assert.deepEqual(await rawResults(later, num), []))
    const { uptime, totals } = await statsOver(later, num, '90d', EXPIRED)
    assert.deepEqual([uptime, totals.checks], [1, 2])
  })
}

function newPlans(engine: Engine): void {
  test('are kept for as long as the plan at the time of the check says', async () => {
    await using workspace = await migratedWorkspace(engine)
    let id: string
    {
      await using stage = await newYear(engine, workspace.storage)
      const { client, orgId } = await stage.api.tenant('FREE')
      id = (await made(client, smallest('HTTP', { url: stage.target.url }))).id
      await check(client, id)
      await setPlan(stage.api.server, orgId, 'PRO')
      stage.clock.advance(HOUR_MS)
      await check(client, id)
    }
    const running = { database: await openResults(workspace) }
    const partitions = (await rawResultsOf({ running }, id)).map(({ partition }) => partition)
    assert.deepEqual(partitions.sort(), ['result_blocks_20250101_30d', 'result_blocks_20250101_365d'])
    await maintain(running.database, EXPIRED)
    const [later, ...none] = await rawResultsOf({ running }, id)
    assert.deepEqual([later?.at, none], [START + HOUR_MS, []])
  })
}

function moved(engine: Engine): void {
  test('have the state and response time of each check, and are moved into blocks a minute after their turn', async () => {
    await using workspace = await migratedWorkspace(engine)
    let id: string
    const expected: object[] = []
    {
      await using stage = await newYear(engine, workspace.storage)
      const { api, clock, target } = stage
      const { client } = await api.tenant()
      id = (await made(client, smallest('HTTP', { url: target.url }))).id
      for (const [status, state] of [
        [200, 'UP'],
        [503, 'DOWN'],
      ] as const) {
        clock.advance(HOUR_MS)
        target.status = status
        await check(client, id)
        const { lastResponseMs } = (await client.get(`/monitors/${id}`)).body
        expected.push({ partition: 'result_blocks_20250101_90d', at: clock.now(), state, ms: lastResponseMs })
      }
    }
    const running = { database: await openResults(workspace) }
    assert.deepEqual(await rawResultsOf({ running }, id), expected)
    const turn = START + 2 * HOUR_MS
    await maintain(running.database, turn + TURN_MS + 59_999)
    assert.equal(await openRows(running.database), 2, 'late results may be written')
    await maintain(running.database, turn + TURN_MS + 60_000)
    assert.equal(await openRows(running.database), 0)
    assert.deepEqual(await rawResultsOf({ running }, id), expected)
  })
}

const TURN_MS = 300_000

async function openRows(database: Database): Promise<number> {
  let rows = 0
  for (const table of OPEN_TABLES) {
    rows += (await database.read(execute(q.selectFrom(table).select('num')))).length
  }
  return rows
}

forEachEngine('the history of a monitor', (engine) => {
  const clock = new HandClock(START)
  const api = useApi(engine, { clock })

  test('is deleted with the monitor', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const settings = { url: target.url, intervalSeconds: 86_400 }
    const ids = [
      (await made(client, smallest('HTTP', settings))).id,
      (await made(client, smallest('HTTP', settings))).id,
    ]
    const job = await made(client, smallest('CRON', { expectedPeriodSec: 86_400 }))
    for (const at of [START, START + 30 * HOUR_MS, START + 60 * HOUR_MS]) {
      await moveTo(clock, at)
      for (const id of ids) await check(client, id)
      await fetch(job.heartbeatUrl, { method: 'POST', body: 'done' })
    }
    const [gone, jobNum, left] = [
      await numOf(api.server, ids[0] as string),
      await numOf(api.server, job.id),
      await numOf(api.server, ids[1] as string),
    ]
    const rowsOf = async (num: number) => {
      const tables = ['monitor_states', 'rollup_hours', 'rollup_days', 'heartbeats', 'incidents'] as const
      const counts: Record<string, number> = {}
      for (const table of tables) {
        const rows = await api.server.running.database.read(
          execute(q.selectFrom(table).select('num').where('num', '=', num)),
        )
        counts[table] = rows.length
      }
      return counts
    }
    assert.equal((await rowsOf(jobNum)).heartbeats, 3)
    const before = await rowsOf(left)
    assert.ok((before.rollup_hours ?? 0) >= 60 && (before.rollup_days ?? 0) >= 2, JSON.stringify(before))
    for (const id of [ids[0], job.id]) assert.equal((await client.delete(`/monitors/${id}`)).status, 200)
    for (const num of [gone, jobNum]) {
      assert.deepEqual(await rowsOf(num), {
        monitor_states: 0,
        rollup_hours: 0,
        rollup_days: 0,
        heartbeats: 0,
        incidents: 0,
      })
      assert.equal((await statsOver(api.server, num, '365d', clock.now())).uptime, null)
      assert.deepEqual(await daysOf(api.server, num, 90, clock.now()), [])
      assert.deepEqual(await recentOf(api.server, num), [])
    }
    assert.deepEqual(await rowsOf(left), before)
    assert.equal((await statsOver(api.server, left, '365d', clock.now())).uptime, 1)
    const next = await made(client, smallest('HTTP', settings))
    assert.ok((await numOf(api.server, next.id)) > jobNum, 'numbers are not reused')
    assert.deepEqual(await rawResultsOf(api.server, next.id), [])
  })

  test('continues when the clock jumps ahead by days, as after a suspend', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await made(client, smallest('HTTP', { url: target.url }))
    await check(client, id)
    clock.advance(10 * DAY_MS)
    await eventually(() => check(client, id))
    assert.equal((await rawResultsOf(api.server, id)).length, 2)
  })
})
