import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { type Body, createPage, createPublished, posted } from '../../support/status.ts'

async function withPublished(api: Api, count: number): Promise<Tenant & { pages: Body[]; newest: Body[] }> {
  const tenant = await api.tenant()
  const { client } = tenant
  const pages = [await createPage(client), await createPage(client)]
  const list: Body[] = []
  for (let i = 0; i < count; i += 1) {
    const published = await createPublished(client, pages[i % 2]?.id, {
      title: `No. ${i}`,
      impact: ['NONE', 'MINOR', 'MAJOR', 'CRITICAL'][i % 4],
      startedAt: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
      statusPageIds: i % 3 === 0 ? pages.map(({ id }) => id) : [pages[i % 2]?.id],
    })
    list.push(i % 2 === 0 ? published : await posted(client, published.id, { status: 'RESOLVED' }))
  }
  return { ...tenant, pages, newest: list.toReversed() }
}

forEachEngine('GET /status-incidents', (engine) => {
  const api = useApi(engine)
  paging(api)
})

function paging(api: Api): void {
  test('limit and offset return exactly their slice, with every filter and without', async () => {
    const { client, newest, pages } = await withPublished(api, 9)
    const other = await withPublished(api, 1)
    const [first, second] = pages.map(({ id }) => id)
    const at = (i: number): number => Date.UTC(2026, 0, 1 + i)
    const filters: readonly [filter: string, fits: (published: Body) => boolean][] = [
      ['', () => true],
      ['&status=RESOLVED', ({ status }) => status === 'RESOLVED'],
      ['&status=INVESTIGATING', ({ status }) => status === 'INVESTIGATING'],
      ['&status=MONITORING', () => false],
      ['&impact=CRITICAL', ({ impact }) => impact === 'CRITICAL'],
      [`&statusPageId=${first}`, ({ statusPageIds }) => statusPageIds.includes(first)],
      [`&statusPageId=${second}&status=RESOLVED`, (p) => p.statusPageIds.includes(second) && p.status === 'RESOLVED'],
      ['&statusPageId=page_unknown', () => false],
      [`&statusPageId=${other.pages[0]?.id}`, () => false],
      [`&startedAfter=${new Date(at(2)).toISOString()}`, ({ startedAt }) => Date.parse(startedAt) > at(2)],
      ['&startedBefore=2026-01-03T01:00%2B01:00', ({ startedAt }) => Date.parse(startedAt) < at(2)],
      [
        '&startedAfter=2026-01-02T12:00Z&startedBefore=2026-01-05T12:00Z&impact=MAJOR',
        ({ startedAt, impact }) =>
          Date.parse(startedAt) > at(1) && Date.parse(startedAt) <= at(4) && impact === 'MAJOR',
      ],
    ]
    for (const [filter, fits] of filters) {
      const list = newest.filter(fits)
      for (const [limit, offset] of [
        [1, 0],
        [2, 1],
        [100, 0],
        [100, 9],
      ] as const) {
        const { body } = await client.get(`/status-incidents?limit=${limit}&offset=${offset}${filter}`)
        const data = list.slice(offset, offset + limit)
        assert.deepEqual(body, { data, pagination: { limit, offset, total: list.length } }, filter)
      }
    }
  })

  test('deleting removes the updates too and leaves no gap', async () => {
    const { client, newest } = await withPublished(api, 4)
    const [, second] = newest
    assert.deepEqual((await client.delete(`/status-incidents/${second?.id}`)).body, { data: { id: second?.id } })
    expectError(await client.get(`/status-incidents/${second?.id}`), 'not_found')
    expectError(await client.delete(`/status-incidents/${second?.id}`), 'not_found')
    const update = { status: 'RESOLVED', message: 'x' }
    expectError(await client.post(`/status-incidents/${second?.id}/updates`, update), 'not_found')
    const { body } = await client.get('/status-incidents?limit=2&offset=1')
    assert.deepEqual(body, { data: newest.slice(2), pagination: { limit: 2, offset: 1, total: 3 } })
  })
}
