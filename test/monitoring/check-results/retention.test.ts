import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanName } from '../../../src/accounts/plans/plans.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { startApi, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { claim } from '../../support/person.ts'
import { type Client, startTestServer } from '../../support/server.ts'
import { setPlan } from '../../support/tables.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { daysOf, numOf, resultsOf, resultsOfNum, statsOver } from '../checks/stored-history.ts'
import { pruneResults } from './prune-results.ts'

const START = Date.UTC(2025, 0, 1)
/** When the results of START have expired. */
const EXPIRED = START + 31 * DAY_MS

/** How many days raw results are kept, by plan; on SELF_HOSTED as PHAROS_RAW_RESULTS_DAYS says. */
const keptWith = (selfHosted: number): Readonly<Record<PlanName, number>> => {
  return { FREE: 30, STARTER: 90, PRO: 365, BUSINESS: 730, SELF_HOSTED: selfHosted }
}

async function check(client: Client, id: string): Promise<void> {
  const answer = await client.post(`/monitors/${id}/check`, {})
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function moveTo(clock: HandClock, at: number): Promise<void> {
  clock.advance(at - clock.now())
}

/** A check, and one a day later: the first result of a day moves those of the day before into their block. */
async function checkTwoDays(client: Client, id: string, clock: HandClock): Promise<void> {
  await check(client, id)
  clock.advance(DAY_MS)
  await check(client, id)
}

forEachEngine('check results', (engine) => {
  const settings: readonly [env: Readonly<Record<string, string>>, selfHosted: number][] = [
    [{}, 90],
    [{ PHAROS_RAW_RESULTS_DAYS: '7' }, 7],
  ]
  for (const [env, selfHosted] of settings) {
    test(`are deleted after the retention time of each plan, with ${JSON.stringify(env)}`, async () => {
      const kept = keptWith(selfHosted)
      const clock = new HandClock(START)
      await using target = await startHttpTarget()
      const { server, tenant } = await startApi(engine, { clock, env })
      await using _ = server
      assert.equal((await (await claim(server)).get('/v1/usage')).body.rawResultsDays, selfHosted)
      const monitors = new Map<PlanName, string>()
      for (const plan of Object.keys(kept) as PlanName[]) {
        const { client } = await tenant(plan)
        const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
        monitors.set(plan, id)
        await checkTwoDays(client, id, clock)
        clock.advance(-DAY_MS)
      }
      const left = async (now: number): Promise<string[]> => {
        await pruneResults(server.running.database, now)
        const plans: string[] = []
        for (const [plan, id] of monitors) if ((await resultsOf(server, id)).length === 2) plans.push(plan)
        return plans
      }
      const plansWith = (test: (days: number) => boolean): string[] =>
        Object.entries(kept).flatMap(([plan, days]) => (test(days) ? [plan] : []))
      for (const days of [...new Set(Object.values(kept))].sort((a, b) => a - b)) {
        const overAt = START + (days + 1) * DAY_MS
        const before = plansWith((one) => one >= days)
        assert.deepEqual(await left(overAt - 1), before, `${days} d, a millisecond before`)
        const after = plansWith((one) => one > days)
        assert.deepEqual(await left(overAt), after, `${days} d`)
      }
    })
  }

  test('are deleted by the server itself, while their roll-ups are kept', async () => {
    await using workspace = await migratedWorkspace(engine)
    await using target = await startHttpTarget()
    let num: number
    {
      const clock = new HandClock(START)
      const { server, tenant } = await startApi(engine, { ...workspace.storage, clock })
      await using _ = server
      const { client } = await tenant('FREE')
      const { id } = await createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: 86_400 }))
      num = await numOf(server, id)
      await checkTwoDays(client, id, clock)
      // Otherwise the server would check it when it starts, and add a result.
      await client.post(`/monitors/${id}/pause`, {})
    }
    await using later = await startTestServer(engine, { ...workspace.storage, clock: new HandClock(EXPIRED) })
    await eventually(async () =>
      assert.deepEqual(
        (await resultsOfNum(later, num)).map(({ at }) => at),
        [START + DAY_MS],
      ),
    )
    assert.equal((await statsOver(later, num, '90d', EXPIRED)).totals.checks, 2)
  })

  test('of a day with two plans are kept for as long as the longer one says', async () => {
    const clock = new HandClock(START)
    await using target = await startHttpTarget()
    const { server, tenant } = await startApi(engine, { clock, env: { PHAROS_ROLES: 'api' } })
    await using _ = server
    const { client, orgId } = await tenant('FREE')
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    await check(client, id)
    await setPlan(server, orgId, 'PRO')
    clock.advance(HOUR_MS)
    await checkTwoDays(client, id, clock)
    await pruneResults(server.running.database, EXPIRED)
    assert.equal((await resultsOf(server, id)).length, 3)
  })

  test('have the state and response time of each check, and survive a restart', async () => {
    await using workspace = await migratedWorkspace(engine)
    await using target = await startHttpTarget()
    const clock = new HandClock(START)
    const expected: object[] = []
    let id = ''
    for (const status of [200, 503, 200]) {
      const { server } = await startApi(engine, { ...workspace.storage, clock, env: { PHAROS_ROLES: 'api' } })
      await using _ = server
      if (id === '') id = (await createMonitor(server.client(), smallest('HTTP', { url: target.url }))).id
      target.status = status
      clock.advance(HOUR_MS)
      await check(server.client(), id)
      const { state, lastResponseMs: responseMs } = (await server.client().get(`/monitors/${id}`)).body
      expected.push({ at: clock.now(), state, responseMs })
      assert.deepEqual(await resultsOf(server, id), expected)
    }
  })
})

forEachEngine('the history of a monitor', (engine) => {
  const clock = new HandClock(START)
  const api = useApi(engine, { clock })

  test('is deleted with the monitor', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const settings = { url: target.url, intervalSeconds: 86_400 }
    const ids = [
      (await createMonitor(client, smallest('HTTP', settings))).id,
      (await createMonitor(client, smallest('HTTP', settings))).id,
    ]
    const job = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 86_400 }))
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
    }
    assert.deepEqual(await rowsOf(left), before)
    assert.equal((await statsOver(api.server, left, '365d', clock.now())).uptime, 1)
    const next = await createMonitor(client, smallest('HTTP', settings))
    assert.ok((await numOf(api.server, next.id)) > jobNum, 'numbers are not reused')
    assert.deepEqual(await resultsOf(api.server, next.id), [])
  })

  test('continues when the clock jumps ahead by days, as after a suspend', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    await check(client, id)
    clock.advance(10 * DAY_MS)
    await eventually(() => check(client, id))
    assert.equal((await resultsOf(api.server, id)).length, 2)
  })
})
