import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, elaborate, expectError, type MonitorBody, smallest } from '../../support/monitors.ts'

/** An organization with this many monitors, in the order of their creation. */
async function withMonitors(api: Api, count: number): Promise<Tenant & { monitors: MonitorBody[] }> {
  const tenant = await api.tenant()
  const monitors: MonitorBody[] = []
  for (let i = 0; i < count; i += 1)
    monitors.push(await createMonitor(tenant.client, smallest('HTTP', { name: `No. ${i}` })))
  return { ...tenant, monitors }
}

forEachEngine('GET /monitors', (engine) => {
  const api = useApi(engine)
  test('an organization without monitors gets an empty page', async () => {
    const { client } = await api.tenant()
    const answer = await client.get('/monitors')
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { data: [], pagination: { limit: 25, offset: 0, total: 0 } })
  })

  test('monitors are listed as they are returned one by one', async () => {
    const { client } = await api.tenant()
    const monitors = [
      await createMonitor(client, elaborate),
      await createMonitor(client, smallest('CRON')),
      await createMonitor(client),
    ]
    assert.deepEqual((await client.get('/monitors')).body.data, monitors)
  })

  test('a page is 25 monitors unless limit says otherwise, and the total counts all', async () => {
    const { client, monitors } = await withMonitors(api, 30)
    const first = await client.get('/monitors')
    assert.deepEqual(first.body.data, monitors.slice(0, 25))
    assert.deepEqual(first.body.pagination, { limit: 25, offset: 0, total: 30 })
    const rest = await client.get('/monitors?offset=25')
    assert.deepEqual(rest.body.data, monitors.slice(25))
    assert.deepEqual(rest.body.pagination, { limit: 25, offset: 25, total: 30 })
  })

  const slices = [
    { limit: 1, offset: 0 },
    { limit: 1, offset: 6 },
    { limit: 3, offset: 5 },
    { limit: 7, offset: 0 },
    { limit: 100, offset: 0 },
    { limit: 100, offset: 7 },
    { limit: 2, offset: 8 },
    { limit: 100, offset: 100_000 },
  ]
  test('limit and offset cut exactly their slice out of the list', async () => {
    const { client, monitors } = await withMonitors(api, 7)
    for (const { limit, offset } of slices) {
      const { status, body } = await client.get(`/monitors?limit=${limit}&offset=${offset}`)
      assert.equal(status, 200)
      assert.deepEqual(body.pagination, { limit, offset, total: 7 })
      assert.deepEqual(body.data, monitors.slice(offset, offset + limit))
    }
  })

  test('paging until offset + limit reaches the total sees every monitor once, in order of creation', async () => {
    const { client, monitors } = await withMonitors(api, 11)
    const seen: string[] = []
    for (let offset = 0, total = 1; offset < total; offset += 4) {
      const { body } = await client.get(`/monitors?limit=4&offset=${offset}`)
      total = body.pagination.total
      seen.push(...body.data.map((monitor: MonitorBody) => monitor.id))
    }
    assert.deepEqual(
      seen,
      monitors.map((monitor) => monitor.id),
    )
  })

  test('a deleted monitor leaves no gap: the pages close up and the total shrinks', async () => {
    const { client, monitors } = await withMonitors(api, 6)
    await client.delete(`/monitors/${monitors[1]?.id}`)
    await client.delete(`/monitors/${monitors[4]?.id}`)
    const left = [monitors[0], monitors[2], monitors[3], monitors[5]]
    assert.deepEqual((await client.get('/monitors?limit=2&offset=1')).body.data, left.slice(1, 3))
    const all = (await client.get('/monitors')).body
    assert.deepEqual(all.data, left)
    assert.equal(all.pagination.total, 4)
    const next = await createMonitor(client)
    assert.deepEqual((await client.get('/monitors?offset=4')).body.data, [next])
  })

  const bad: Record<string, readonly string[]> = {
    limit: ['0', '101', '-1', '1.5', '1.0', '1e1', '0x10', 'abc', '', '%20', '%205', '5%20', '+5', 'null', 'true', '٣'],
    offset: ['-1', '100001', '1.5', '1e2', 'abc', '', '%200', 'NaN', 'Infinity', '99999999999999999999', '[]'],
  }
  for (const [name, values] of Object.entries(bad)) {
    test(`a bad ${name} is 400 and never clamped`, async () => {
      const { client } = await api.tenant()
      for (const value of values) {
        const answer = await client.get(`/monitors?${name}=${value}`)
        assert.equal(answer.status, 400, `${name}=${value}`)
        expectError(answer, 'validation_error', [name])
      }
    })
  }

  test('limit and offset at their bounds are accepted', async () => {
    const { client } = await api.tenant()
    for (const query of ['limit=1', 'limit=100', 'offset=0', 'offset=100000']) {
      assert.equal((await client.get(`/monitors?${query}`)).status, 200, query)
    }
  })

  test('an invalid limit and an invalid offset are both reported', async () => {
    const { client } = await api.tenant()
    expectError(await client.get('/monitors?limit=x&offset=-5'), 'validation_error', ['limit', 'offset'])
  })

  test('a parameter given twice is 400', async () => {
    const { client } = await api.tenant()
    expectError(await client.get('/monitors?limit=5&limit=6'), 'validation_error', ['limit'])
  })

  test('unknown parameters are ignored, and none selects another organization', async () => {
    const [own, other] = [await withMonitors(api, 2), await withMonitors(api, 3)]
    const answer = await own.client.get(
      `/monitors?orgId=${other.orgId}&organizationId=${other.orgId}&Limit=0&type=PORT`,
    )
    assert.deepEqual(answer.body.data, own.monitors)
    assert.equal(answer.body.pagination.total, 2)
  })
})
