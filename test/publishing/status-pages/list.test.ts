import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { type Body, createPage, createPublished, currentPage, setState, showing } from '../../support/status.ts'

forEachEngine('GET /status-pages', (engine) => {
  const api = useApi(engine)
  searching(api)
  standing(api)
})

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
