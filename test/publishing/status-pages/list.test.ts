import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { type Body, createPage, createPublished, currentPage, setState, showing } from '../../support/status.ts'

async function withPages(api: Api, count: number): Promise<Tenant & { pages: Body[] }> {
  const tenant = await api.tenant()
  const pages: Body[] = []
  for (let i = 0; i < count; i += 1) {
    pages.push(await createPage(tenant.client, { name: `No. ${i}`, published: i % 3 !== 0 }))
  }
  return { ...tenant, pages }
}

forEachEngine('GET /status-pages', (engine) => {
  const api = useApi(engine)
  paging(api)
  searching(api)
  standing(api)
})

function paging(api: Api): void {
  test('an organization without pages gets an empty list', async () => {
    const { client } = await api.tenant()
    const empty = { data: [], pagination: { limit: 25, offset: 0, total: 0 } }
    assert.deepEqual((await client.get('/status-pages')).body, empty)
    assert.deepEqual((await client.get('/status-pages?published=true&q=x')).body, empty)
  })

  test('pages are listed in order of creation, with the same content as GET by id, 25 at a time', async () => {
    const { client, pages } = await withPages(api, 27)
    const { body } = await client.get('/status-pages')
    assert.deepEqual(body, { data: pages.slice(0, 25), pagination: { limit: 25, offset: 0, total: 27 } })
    assert.deepEqual(await currentPage(client, pages[3]?.id), pages[3])
  })

  test('limit and offset return exactly their slice, with and without a filter', async () => {
    const { client, pages } = await withPages(api, 7)
    for (const [filter, list] of [
      ['', pages],
      ['&published=true', pages.filter(({ published }) => published)],
      ['&published=false', pages.filter(({ published }) => !published)],
      ['&q=NO.', pages],
      ['&q=no.%206', pages.slice(6)],
      ['&q=no&published=false', pages.filter(({ published }) => !published)],
    ] as const) {
      for (const [limit, offset] of [
        [1, 0],
        [2, 1],
        [3, 5],
        [100, 0],
        [100, 7],
        [100, 100_000],
      ] as const) {
        const { body } = await client.get(`/status-pages?limit=${limit}&offset=${offset}${filter}`)
        const data = list.slice(offset, offset + limit)
        assert.deepEqual(body, { data, pagination: { limit, offset, total: list.length } }, filter)
      }
    }
  })

  test('a deleted page leaves no gap', async () => {
    const { client, pages } = await withPages(api, 4)
    await client.delete(`/status-pages/${pages[1]?.id}`)
    const { body } = await client.get('/status-pages?limit=2&offset=1')
    assert.deepEqual(body, { data: pages.slice(2), pagination: { limit: 2, offset: 1, total: 3 } })
  })

  const bad: Readonly<Record<string, readonly string[]>> = {
    limit: ['0', '101', '-1', '1.5', 'x', ''],
    offset: ['-1', '100001', '1.5', 'x', ''],
    published: ['', '1', '0', 'TRUE', 'yes'],
    q: ['', 'x'.repeat(201), '%00'],
  }
  test('invalid parameters are 400, all reported together', async () => {
    const { client } = await api.tenant()
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) {
        const answer = await client.get(`/status-pages?${name}=${value}`)
        assert.equal(answer.status, 400, `${name}=${value}`)
        expectError(answer, 'validation_error', [name])
      }
    }
    const answer = await client.get('/status-pages?limit=x&offset=-1&published=2&q=')
    expectError(answer, 'validation_error', ['limit', 'offset', 'published', 'q'])
  })

  test('unknown parameters are ignored, and no parameter shows pages of others', async () => {
    const [own, other] = [await withPages(api, 2), await withPages(api, 1)]
    const { body } = await own.client.get(`/status-pages?orgId=${other.orgId}&status=x`)
    assert.deepEqual(body.data, own.pages)
    assert.deepEqual((await own.client.get('/status-pages?q=no')).body.data, own.pages)
  })
}

function searching(api: Api): void {
  test('q finds part of the name or slug, case-insensitively in any alphabet', async () => {
    const { client } = await api.tenant()
    const createMonitor = [
      await createPage(client, { name: 'Größe', slug: 'alpha-one' }),
      await createPage(client, { name: 'ЯБЛОКО', slug: 'beta-two' }),
      await createPage(client, { name: 'Plain ALPHA', slug: 'gamma-three' }),
    ]
    const found = async (q: string): Promise<number[]> => {
      const { body } = await client.get(`/status-pages?q=${encodeURIComponent(q)}`)
      return body.data.map(({ id }: Body) => createMonitor.findIndex((page) => page.id === id))
    }
    assert.deepEqual(await found('GRÖSSE'), [])
    assert.deepEqual(await found('GRÖ'), [0])
    assert.deepEqual(await found('яблок'), [1])
    assert.deepEqual(await found('alpha'), [0, 2])
    assert.deepEqual(await found('ALPHA-ONE'), [0])
    assert.deepEqual(await found('a-t'), [1, 2])
    assert.deepEqual(await found('o\u0308'), [0])
    assert.deepEqual(await found('zzz'), [])
  })

  test('SQL wildcards in q are literal', async () => {
    const { client } = await api.tenant()
    const names = ['100 % sure', 'snake_case', 'back\\slash', "quo'te", 'plain']
    for (const name of names) await createPage(client, { name })
    for (const [q, expected] of [
      ['%', ['100 % sure']],
      ['_', ['snake_case']],
      ['\\', ['back\\slash']],
      ["'", ["quo'te"]],
      ['%_', []],
      ['\\%', []],
    ] as const) {
      const { body } = await client.get(`/status-pages?q=${encodeURIComponent(q)}`)
      assert.deepEqual(
        body.data.map(({ name }: Body) => name),
        expected,
        q,
      )
    }
  })
}

function standing(api: Api): void {
  test('each page in the list has the same overall status as by itself', async () => {
    const { client } = await api.tenant()
    const [up, down] = [await createMonitor(client, smallest('HTTP')), await createMonitor(client, smallest('HTTP'))]
    await setState(api.server, up, 'UP')
    await setState(api.server, down, 'DOWN')
    const pages = [
      await createPage(client, { sections: [showing(up)] }),
      await createPage(client, { sections: [showing(up, down)] }),
      await createPage(client, { sections: [showing(down), showing(down)] }),
      await createPage(client, { sections: [showing(up)] }),
      await createPage(client),
    ]
    await createPublished(client, pages[3]?.id, { affectedMonitors: [{ monitorId: up.id, status: 'DEGRADED' }] })
    const { data } = (await client.get('/status-pages')).body
    assert.deepEqual(
      data.map(({ overallStatus }: Body) => overallStatus),
      ['OPERATIONAL', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE', 'DEGRADED', 'OPERATIONAL'],
    )
    for (const page of data) assert.deepEqual(await currentPage(client, page.id), page)
  })
}
