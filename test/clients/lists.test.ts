import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Pharos } from '../../clients/typescript/src/index.ts'
import { List, type Page } from '../../clients/typescript/src/list.ts'
import { useApi } from '../support/api.ts'

describe('lists of the client', () => {
  const api = useApi('sqlite')

  test('give every item once, in the order of the API, over all pages', async () => {
    const { key } = await api.tenant()
    const paths: string[] = []
    const counting: typeof fetch = (input, init) => {
      paths.push(String(input).replace(/^.*\/api\/v1/, ''))
      return fetch(input, init)
    }
    const pharos = new Pharos({ url: api.server.url, apiKey: key, fetch: counting })
    for (let i = 0; i < 7; i += 1) await pharos.monitors.create({ name: `M${i}`, type: 'CRON' })
    paths.length = 0
    const names: string[] = []
    for await (const monitor of pharos.monitors.list({ limit: 3 })) names.push(monitor.name)
    assert.deepEqual(names, ['M0', 'M1', 'M2', 'M3', 'M4', 'M5', 'M6'])
    assert.deepEqual(
      paths,
      [0, 3, 6].map((offset) => `/monitors?limit=3&offset=${offset}`),
    )
    assert.equal((await pharos.monitors.list().toArray()).length, 7)
    assert.equal(paths.at(-1), '/monitors?limit=100&offset=0')
    const page = await pharos.monitors.list({ limit: 2, offset: 5 }).page()
    assert.deepEqual(page.pagination, { limit: 2, offset: 5, total: 7 })
    assert.deepEqual(
      (await pharos.monitors.list({ offset: 5 }).toArray()).map(({ name }) => name),
      ['M5', 'M6'],
    )
  })

  test('request no more pages than are read', async () => {
    const { key } = await api.tenant()
    let count = 0
    const counting: typeof fetch = (input, init) => {
      count += 1
      return fetch(input, init)
    }
    const pharos = new Pharos({ url: api.server.url, apiKey: key, fetch: counting })
    for (let i = 0; i < 4; i += 1) await pharos.monitors.create({ name: `M${i}`, type: 'CRON' })
    count = 0
    const list = pharos.monitors.list({ limit: 1 })
    assert.equal(count, 0)
    assert.equal((await list.toArray(2)).length, 2)
    assert.equal(count, 2)
  })
})

test('an item that moved to the next page while the list was read comes once', async () => {
  let items = ['d', 'c', 'b', 'a']
  const read = async ({ limit = 2, offset = 0 }): Promise<Page<{ id: string }>> => {
    const data = items.slice(offset, offset + limit).map((id) => ({ id }))
    const pagination = { limit, offset, total: items.length }
    if (offset === 0) items = ['e', ...items]
    return { data, pagination }
  }
  const ids = (await new List(read, { limit: 2 }).toArray()).map(({ id }) => id)
  assert.deepEqual(ids, ['d', 'c', 'b', 'a'])
})
