import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { type Body, createEndpoint, currentEndpoint, withoutSecret } from '../../support/webhooks.ts'

async function withEndpoints(api: Api, count: number): Promise<Tenant & { endpoints: Body[] }> {
  const tenant = await api.tenant()
  const endpoints: Body[] = []
  for (let i = 0; i < count; i += 1) {
    endpoints.push(
      withoutSecret(await createEndpoint(tenant.client, { description: `No. ${i}`, enabled: i % 3 !== 0 })),
    )
  }
  return { ...tenant, endpoints }
}

forEachEngine('GET /webhook-endpoints', (engine) => {
  const api = useApi(engine)

  test('an organization without endpoints gets an empty page', async () => {
    const { client } = await api.tenant()
    const page = { data: [], pagination: { limit: 25, offset: 0, total: 0 } }
    assert.deepEqual((await client.get('/webhook-endpoints')).body, page)
    assert.deepEqual((await client.get('/webhook-endpoints?enabled=true')).body, page)
  })

  test('endpoints are listed in order of creation, as each is returned by itself, 25 to a page', async () => {
    const { client, endpoints } = await withEndpoints(api, 27)
    const { body } = await client.get('/webhook-endpoints')
    assert.deepEqual(body, { data: endpoints.slice(0, 25), pagination: { limit: 25, offset: 0, total: 27 } })
    assert.deepEqual(await currentEndpoint(client, endpoints[3]?.id), endpoints[3])
  })

  test('limit and offset cut exactly their slice, with and without a filter', async () => {
    const { client, endpoints } = await withEndpoints(api, 7)
    for (const [filter, list] of [
      ['', endpoints],
      ['&enabled=true', endpoints.filter(({ enabled }) => enabled)],
      ['&enabled=false', endpoints.filter(({ enabled }) => !enabled)],
    ] as const) {
      for (const [limit, offset] of [
        [1, 0],
        [2, 1],
        [3, 5],
        [100, 0],
        [100, 7],
        [100, 100_000],
      ] as const) {
        const { body } = await client.get(`/webhook-endpoints?limit=${limit}&offset=${offset}${filter}`)
        assert.deepEqual(body, {
          data: list.slice(offset, offset + limit),
          pagination: { limit, offset, total: list.length },
        })
      }
    }
  })

  const bad: Readonly<Record<string, readonly string[]>> = {
    limit: ['0', '101', '-1', '1.5', 'x', '', '%205'],
    offset: ['-1', '100001', '1.5', 'x', ''],
    enabled: ['', '1', '0', 'TRUE', 'yes', 'null'],
  }
  test('a bad parameter is 400; several are reported together', async () => {
    const { client } = await api.tenant()
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) {
        const answer = await client.get(`/webhook-endpoints?${name}=${value}`)
        assert.equal(answer.status, 400, `${name}=${value}`)
        expectError(answer, 'validation_error', [name])
      }
    }
    const answer = await client.get('/webhook-endpoints?limit=x&offset=-1&enabled=2')
    expectError(answer, 'validation_error', ['enabled', 'limit', 'offset'])
  })

  test('unknown parameters are ignored, and none shows endpoints of another organization', async () => {
    const [own, other] = [await withEndpoints(api, 2), await withEndpoints(api, 1)]
    const { body } = await own.client.get(`/webhook-endpoints?orgId=${other.orgId}&q=x`)
    assert.deepEqual(body.data, own.endpoints)
  })
})
