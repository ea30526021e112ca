import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanName } from '../../../src/accounts/plans/plans.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, current, expectError, smallest, total } from '../../support/monitors.ts'
import type { Answer, Client } from '../../support/server.ts'
import { fill, setPlan } from '../../support/tables.ts'

/** Section 9 of the decisions. */
const plans = [
  { plan: 'FREE', monitors: 10, fastest: 300 },
  { plan: 'STARTER', monitors: 50, fastest: 60 },
  { plan: 'PRO', monitors: 200, fastest: 30 },
  { plan: 'BUSINESS', monitors: 1000, fastest: 30 },
  { plan: 'SELF_HOSTED', monitors: Number.POSITIVE_INFINITY, fastest: 30 },
] as const

/** The lower bound of the field on every plan. */
const BOUND = 30

/** Creates monitors concurrently. */
function createMany(client: Client, count: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, () => client.post('/monitors', smallest('HTTP'))))
}

forEachEngine('plans', (engine) => {
  const api = useApi(engine)
  allowances(api)
  otherAllowances(api)
  intervals(api)
  changesOfPlan(api)
})

function allowances(api: Api): void {
  for (const { plan, monitors } of plans.filter((one) => Number.isFinite(one.monitors))) {
    test(`${plan} allows exactly ${monitors} monitors, also with concurrent requests; SELF_HOSTED allows more`, async () => {
      const { client, orgId } = await api.tenant(plan)
      await fill(api.server, orgId, monitors - 10)
      const answers = await createMany(client, 25)
      assert.equal(answers.filter((answer) => answer.status === 201).length, 10)
      for (const answer of answers.filter((one) => one.status !== 201)) {
        assert.equal(answer.status, 422)
        expectError(answer, 'plan_limit')
      }
      assert.equal(await total(client), monitors)
      await setPlan(api.server, orgId, 'SELF_HOSTED')
      for (const answer of await createMany(client, 15)) assert.equal(answer.status, 201)
      assert.equal(await total(client), monitors + 15)
    })
  }

  test('paused monitors count, rejected creations do not', async () => {
    const { client } = await api.tenant('FREE')
    const answers = await createMany(client, 10)
    for (const { body } of answers) await client.post(`/monitors/${body.id}/pause`, {})
    for (let i = 0; i < 5; i += 1) expectError(await client.post('/monitors', smallest('HTTP')), 'plan_limit')
    await client.delete(`/monitors/${answers[0]?.body.id}`)
    await createMonitor(client)
    assert.equal(await total(client), 10)
  })
}

function otherAllowances(api: Api): void {
  const times = { startsAt: '2040-01-01T00:00:00Z', endsAt: '2040-01-01T01:00:00Z' }
  const others = [
    { what: 'publishedIncidents', kind: 'publishedincident', limits: [100, 500, 2_000, 10_000, null] },
    { what: 'maintenanceWindows', kind: 'maintenance', limits: [20, 100, 500, 2_000, null] },
    { what: 'statusPages', kind: 'statuspage', limits: [1, 3, 10, 50, null] },
    { what: 'webhookEndpoints', kind: 'endpoint', limits: [1, 5, 20, 100, null] },
  ] as const
  for (const { what, kind, limits } of others) {
    test(`every plan allows its number of ${what}, also with concurrent requests`, async () => {
      const { client, orgId } = await api.tenant('FREE')
      const page = (await client.post('/status-pages', { name: 'Status' })).body.id
      const creations = {
        publishedincident: ['/status-incidents', { title: 't', message: 'm', statusPageIds: [page] }],
        maintenance: ['/maintenance-windows', { name: 'w', ...times, allMonitors: true }],
        statuspage: ['/status-pages', { name: 'p' }],
        endpoint: ['/webhook-endpoints', { url: 'https://hooks.example/' }],
      } as const
      const [path, body] = creations[kind]
      const create = (): Promise<Answer> => client.post(path, body)
      for (const [i, limit] of limits.entries()) {
        await setPlan(api.server, orgId, plans[i]?.plan as PlanName)
        await create()
        const room = limit === 1 ? 1 : 2
        const used = (limit ?? 20_000) - room
        await api.server.running.database.write(() =>
          execute(
            q.updateTable('list_totals').set({ live: used }).where('org_id', '=', orgId).where('kind', '=', kind),
          ),
        )
        assert.deepEqual((await client.get('/usage')).body[what], { used, limit })
        const answers = await Promise.all(Array.from({ length: 5 }, create))
        const refused = answers.filter(({ status }) => status !== 201)
        assert.equal(refused.length, limit === null ? 0 : 5 - room)
        for (const answer of refused) expectError(answer, 'plan_limit')
      }
    })
  }
}

function intervals(api: Api): void {
  for (const { plan, fastest } of plans) {
    test(`${plan} allows an interval of ${fastest} s and none shorter`, async () => {
      const { client } = await api.tenant(plan)
      const monitor = await createMonitor(client, smallest('HTTP', { intervalSeconds: fastest }))
      assert.equal(monitor.intervalSeconds, fastest)
      const refusal = fastest === BOUND ? 'validation_error' : 'plan_limit'
      for (const intervalSeconds of [fastest - 1, ...(fastest === BOUND ? [] : [BOUND])]) {
        expectError(await client.post('/monitors', smallest('HTTP', { intervalSeconds })), refusal)
        expectError(await client.patch(`/monitors/${monitor.id}`, { intervalSeconds }), refusal)
      }
      assert.equal(await total(client), 1)
      assert.deepEqual(await current(client, monitor.id), monitor)
    })
  }

  test('a patch that keeps an interval shorter than the plan permits is accepted; any other such interval is not', async () => {
    const { client, orgId } = await api.tenant('PRO')
    const { id } = await createMonitor(client, smallest('HTTP', { intervalSeconds: 30 }))
    await setPlan(api.server, orgId, 'FREE')
    assert.equal((await client.patch(`/monitors/${id}`, { name: 'New' })).status, 200)
    const same = await client.patch(`/monitors/${id}`, { name: 'Newer', intervalSeconds: 30 })
    assert.deepEqual([same.status, same.body.name, same.body.intervalSeconds], [200, 'Newer', 30])
    expectError(await client.patch(`/monitors/${id}`, { intervalSeconds: 60 }), 'plan_limit')
    assert.equal((await client.patch(`/monitors/${id}`, { intervalSeconds: 300 })).status, 200)
    expectError(await client.patch(`/monitors/${id}`, { intervalSeconds: 30 }), 'plan_limit')
  })
}

function changesOfPlan(api: Api): void {
  test('an upgrade takes effect at once; a downgrade keeps existing monitors and allows no new ones', async () => {
    const { client, orgId } = await api.tenant('FREE')
    await createMany(client, 10)
    expectError(await client.post('/monitors', smallest('HTTP')), 'plan_limit')
    await setPlan(api.server, orgId, 'STARTER')
    const extra = await createMonitor(client, smallest('HTTP', { intervalSeconds: 60 }))
    await setPlan(api.server, orgId, 'FREE')
    assert.equal(await total(client), 11)
    assert.deepEqual(await current(client, extra.id), extra)
    expectError(await client.post('/monitors', smallest('HTTP')), 'plan_limit')
    await client.delete(`/monitors/${extra.id}`)
    expectError(await client.post('/monitors', smallest('HTTP')), 'plan_limit')
  })
}
