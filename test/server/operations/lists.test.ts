import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Tenant, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createWindow } from '../../support/maintenance.ts'
import { createMonitor, elaborate, expectError, type MonitorBody, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { createPage, createPublished } from '../../support/status.ts'
import { createEndpoint, withoutSecret } from '../../support/webhooks.ts'

const notBoolean = ['', '1', '0', 'yes', 'TRUE', 'null']
const noMoment = ['', 'now', '5', '1767225600000', '2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z']

/** Values that parameters refuse. */
const bad = {
  limit: ['0', '101', '-1', '1.5', '1.0', '1e1', '0x10', 'abc', '', '%20', '%205', '5%20', '+5', 'null', 'true', '٣'],
  offset: ['-1', '100001', '1.5', '1e2', 'abc', '', '%200', 'NaN', 'Infinity', '99999999999999999999', '[]'],
  status: ['', 'ongoing', 'pending', 'OPEN', 'DONE', 'RUNNING', 'ONGOING,RESOLVED', 'null'],
  impact: ['', 'minor', 'HUGE'],
  eventType: ['', 'monitor.update', '*', 'MONITOR.PAUSED'],
  q: ['', 'x'.repeat(201), '%00'],
  monitorId: [''],
  endpointId: [''],
  statusPageId: [''],
  acknowledged: notBoolean,
  enabled: notBoolean,
  published: notBoolean,
  startedAfter: noMoment,
  startedBefore: noMoment,
  startsAfter: noMoment,
  startsBefore: noMoment,
  createdAfter: noMoment,
  createdBefore: noMoment,
} as const

/** The parameters of the lists of the specification, besides limit and offset. */
const parameters: Readonly<Record<string, readonly (keyof typeof bad)[]>> = {
  '/monitors': [],
  '/incidents': ['status', 'monitorId', 'acknowledged', 'startedAfter', 'startedBefore'],
  '/maintenance-windows': ['status', 'monitorId', 'statusPageId', 'startsAfter', 'startsBefore'],
  '/status-pages': ['published', 'q'],
  '/status-incidents': ['status', 'impact', 'statusPageId', 'startedAfter', 'startedBefore'],
  '/webhook-endpoints': ['enabled'],
  '/webhook-deliveries': ['endpointId', 'eventType', 'status', 'createdAfter', 'createdBefore'],
}

describe('a list', () => {
  const api = useApi('sqlite')

  for (const [path, own] of Object.entries(parameters)) {
    test(`${path}: a bad parameter is 400 and never guessed at; several are reported together`, async () => {
      const { client } = await api.tenant()
      const names = ['limit', 'offset', ...own] as const
      for (const name of names) {
        for (const value of bad[name]) {
          const answer = await client.get(`${path}?${name}=${value}`)
          assert.equal(answer.status, 400, `${name}=${value}`)
          expectError(answer, 'validation_error', [name])
        }
      }
      expectError(await client.get(`${path}?${names.map((name) => `${name}=`).join('&')}`), 'validation_error', names)
      expectError(await client.get(`${path}?limit=5&limit=6`), 'validation_error', ['limit'])
      for (const query of ['limit=1', 'limit=100', 'offset=0', 'offset=100000']) {
        const { body } = await client.get(`${path}?${query}`)
        assert.deepEqual([body.data, body.pagination.total], [[], 0], query)
      }
    })
  }
})

interface Kind {
  readonly create: (client: Client, i: number) => Promise<MonitorBody>
  readonly isNewestFirst?: true
  /** Each with the numbers of the resources that it finds among the first seven. */
  readonly filters?: Readonly<Record<string, readonly number[]>>
}

const everyThird = [0, 3, 6]
const others = [1, 2, 4, 5]
const all = [0, 1, 2, 3, 4, 5, 6]

const kinds: Readonly<Record<string, Kind>> = {
  '/monitors': { create: (client, i) => createMonitor(client, [elaborate, smallest('CRON')][i] ?? smallest('HTTP')) },
  '/maintenance-windows': {
    create: (client, i) => createWindow(client, { recurrence: i % 3 === 0 ? 'NONE' : 'DAILY' }),
    filters: { 'status=SCHEDULED': all, 'status=COMPLETED': [] },
  },
  '/status-pages': {
    create: (client, i) => createPage(client, { name: `No. ${i}`, published: i % 3 !== 0 }),
    filters: {
      'published=true': others,
      'published=false': everyThird,
      'q=NO.': all,
      'q=no.%206': [6],
      'q=no&published=false': everyThird,
    },
  },
  '/status-incidents': {
    create: async (client, i) => {
      const page = (await client.get('/status-pages')).body.data[0] ?? (await createPage(client))
      return createPublished(client, page.id, { title: `No. ${i}` })
    },
    isNewestFirst: true,
    filters: { 'status=RESOLVED': [] },
  },
  '/webhook-endpoints': {
    create: async (client, i) => withoutSecret(await createEndpoint(client, { enabled: i % 3 !== 0 })),
    filters: { 'enabled=true': others, 'enabled=false': everyThird },
  },
}

const slices = [
  [1, 0],
  [1, 6],
  [2, 1],
  [3, 5],
  [100, 0],
  [100, 7],
  [100, 100_000],
] as const

forEachEngine('the pages of a list', (engine) => {
  const api = useApi(engine)

  for (const [path, { create, isNewestFirst, filters = {} }] of Object.entries(kinds)) {
    const filled = async (count: number): Promise<Tenant & { list: MonitorBody[] }> => {
      const tenant = await api.tenant()
      const list: MonitorBody[] = []
      for (let i = 0; i < count; i += 1) list.push(await create(tenant.client, i))
      return { ...tenant, list: isNewestFirst ? list.toReversed() : list }
    }

    test(`${path}: a page has 25, in order of creation, each as it is returned by itself`, async () => {
      const { client, list } = await filled(27)
      const { body } = await client.get(path)
      assert.deepEqual(body, { data: list.slice(0, 25), pagination: { limit: 25, offset: 0, total: 27 } })
      assert.deepEqual((await client.get(`${path}/${list[3]?.id}`)).body, list[3])
    })

    test(`${path}: limit and offset cut exactly their slice, with and without a filter, also after a deletion`, async () => {
      const { client, list } = await filled(7)
      const byNumber = isNewestFirst ? list.toReversed() : list
      let left = [...list]
      const expectSlices = async () => {
        for (const [filter, numbers] of Object.entries<readonly number[]>({ '': all, ...filters })) {
          const found = left.filter((one) => numbers.includes(byNumber.indexOf(one)))
          for (const [limit, offset] of slices) {
            const { body } = await client.get(`${path}?limit=${limit}&offset=${offset}&${filter}`)
            const data = found.slice(offset, offset + limit)
            assert.deepEqual(body, { data, pagination: { limit, offset, total: found.length } }, filter)
          }
        }
      }
      await expectSlices()
      for (const gone of [list[1], list[4]]) {
        assert.equal((await client.delete(`${path}/${gone?.id}`)).status, 200)
        left = left.filter((one) => one !== gone)
      }
      await expectSlices()
    })

    test(`${path}: unknown parameters are ignored, and none shows another organization`, async () => {
      const [own, other] = [await filled(2), await filled(1)]
      const query = `orgId=${other.orgId}&organizationId=${other.orgId}&Limit=0&type=PORT&state=x`
      const { body } = await own.client.get(`${path}?${query}`)
      assert.deepEqual([body.data, body.pagination.total], [own.list, 2])
      for (const filter of Object.keys(filters)) {
        const { data } = (await own.client.get(`${path}?${filter}`)).body
        for (const { id } of data) assert.ok(own.list.some((one) => one.id === id))
      }
    })
  }
})
