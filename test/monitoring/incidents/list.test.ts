import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { type Body, check, listed, outage, pageOf, shaky } from './incidents.ts'

forEachEngine('GET /incidents, page by page', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  pages(api, clock)
  deletions(api)
})

/** An organization with a monitor that failed and recovered this often at the same time; the newest incident first. */
async function withIncidents(api: Api, count: number): Promise<Tenant & { incidents: Body[]; monitor: Body }> {
  await using target = await startHttpTarget()
  const tenant = await api.tenant()
  const monitor = await shaky(tenant.client, target)
  const incidents: Body[] = []
  for (let i = 0; i < count; i += 1) {
    target.status = 503
    const opened = await outage(tenant.client, monitor.id)
    target.status = 200
    assert.equal((await check(tenant.client, monitor.id)).state, 'UP')
    const resolved = { resolvedAt: opened.startedAt, durationSec: 0 }
    incidents.unshift({ ...listed(opened), ...resolved })
  }
  return { ...tenant, incidents, monitor }
}

const slices = [
  [1, 0],
  [7, 3],
  [100, 0],
  [10, 25],
  [25, 27],
  [100, 30],
  [100, 100_000],
] as const

function pages(api: Api, clock: HandClock): void {
  test('the newest come first, 25 to a page; limit and offset cut exactly their slice, filtered or not', async () => {
    const { client, incidents, monitor } = await withIncidents(api, 30)
    const usual = await pageOf(client)
    assert.deepEqual(usual.data, incidents.slice(0, 25))
    assert.deepEqual(usual.pagination, { limit: 25, offset: 0, total: 30 })
    for (const [limit, offset] of slices) {
      for (const filter of ['', `&monitorId=${monitor.id}`, '&status=RESOLVED']) {
        const page = await pageOf(client, `limit=${limit}&offset=${offset}${filter}`)
        assert.deepEqual(page.data, incidents.slice(offset, offset + limit), `${limit} from ${offset}${filter}`)
        assert.deepEqual(page.pagination, { limit, offset, total: 30 })
      }
    }
  })

  test('incidents of several monitors are in the order in which they began, ongoing and resolved alike', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const opened: Body[] = []
    for (const name of ['a', 'b', 'c']) {
      clock.advance(1_000)
      opened.unshift(await outage(client, (await shaky(client, target, { name })).id))
    }
    target.status = 200
    await check(client, opened[1]?.monitor.id)
    const { data } = await pageOf(client)
    assert.deepEqual(
      data.map(({ id, monitor, resolvedAt }) => [id, monitor.name, resolvedAt !== null]),
      opened.map(({ id, monitor }, i) => [id, monitor.name, i === 1]),
    )
    assert.deepEqual(
      data.map(({ startedAt }) => startedAt),
      data.map(({ startedAt }) => startedAt).toSorted((a, b) => (a < b ? 1 : -1)),
    )
  })
}

function deletions(api: Api): void {
  test('a deleted monitor takes its incidents out: the pages close up and the total is exact', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const monitors: Body[] = []
    for (let i = 0; i < 4; i += 1) monitors.push(await shaky(client, target))
    const opened: Body[] = []
    for (const round of [1, 2]) {
      target.status = 503
      for (const { id } of monitors) opened.unshift(listed(await outage(client, id)))
      target.status = 200
      if (round === 1) for (const { id } of monitors) await check(client, id)
    }
    assert.equal((await pageOf(client)).pagination.total, 8)
    const gone = [monitors[1]?.id, monitors[3]?.id]
    for (const id of gone) assert.equal((await client.delete(`/monitors/${id}`)).status, 200)
    const left = opened.filter(({ monitor }) => !gone.includes(monitor.id)).map(({ id }) => id)
    assert.equal(left.length, 4)
    for (const filter of ['', '&startedAfter=2000-01-01T00:00:00Z']) {
      const page = await pageOf(client, `limit=2&offset=1${filter}`)
      assert.deepEqual(
        page.data.map(({ id }) => id),
        left.slice(1, 3),
      )
      assert.equal(page.pagination.total, 4)
    }
    assert.equal((await pageOf(client, 'status=ONGOING')).pagination.total, 2)
    assert.deepEqual((await pageOf(client, `monitorId=${gone[0]}`)).data, [])
    const deleted = opened.find(({ monitor }) => monitor.id === gone[0])
    expectError(await client.get(`/incidents/${deleted?.id}`), 'not_found')
    expectError(await client.post(`/incidents/${deleted?.id}/acknowledge`), 'not_found')
    target.status = 503
    for (const { id } of [monitors[0], monitors[2]] as Body[]) await client.delete(`/monitors/${id}`)
    assert.deepEqual((await pageOf(client)).pagination, { limit: 25, offset: 0, total: 0 })
    const next = await outage(client, (await shaky(client, target)).id)
    assert.deepEqual((await pageOf(client)).data, [listed(next)])
  })
}
