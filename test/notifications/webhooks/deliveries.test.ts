import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/lib/ids.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor } from '../../support/monitors.ts'
import {
  type Body,
  createDelivery,
  createEndpoint,
  currentDelivery,
  deliveries,
  settle,
} from '../../support/webhooks.ts'

forEachEngine('webhook deliveries', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  paging(api)
  filters(api, clock)
  detail(api, clock)
})

/** An organization with two endpoints and deliveries of several kinds, the oldest first and a minute apart. */
async function withDeliveries(api: Api, clock: HandClock): Promise<Tenant & { list: Body[]; endpoints: Body[] }> {
  const tenant = await api.tenant()
  const { client } = tenant
  const endpoints = [await createEndpoint(client), await createEndpoint(client, { eventTypes: ['monitor.paused'] })]
  const tick = () => clock.advance(60_000)
  const monitor = await createMonitor(client)
  tick()
  await client.post(`/monitors/${monitor.id}/pause`, {})
  tick()
  const given = await createDelivery(client, endpoints[0]?.id)
  await settle(api.server, given.id, 'FAILED', clock.now())
  tick()
  const taken = await createDelivery(client, endpoints[1]?.id)
  await settle(api.server, taken.id, 'SUCCEEDED', clock.now())
  tick()
  return { ...tenant, endpoints, list: (await deliveries(client)).toReversed() }
}

function paging(api: Api): void {
  test('the newest come first, 25 to a page; limit and offset cut exactly their slice', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client)
    const ids: string[] = []
    for (let i = 0; i < 30; i += 1) ids.unshift((await createDelivery(client, id)).id)
    const usual = (await client.get('/webhook-deliveries')).body
    assert.deepEqual(
      usual.data.map((delivery: Body) => delivery.id),
      ids.slice(0, 25),
    )
    for (const [limit, offset] of [
      [1, 0],
      [7, 3],
      [100, 0],
      [10, 25],
      [100, 30],
      [100, 100_000],
    ] as const) {
      for (const filter of ['', `&endpointId=${id}`]) {
        const { body } = await client.get(`/webhook-deliveries?limit=${limit}&offset=${offset}${filter}`)
        assert.deepEqual(
          body.data.map((delivery: Body) => delivery.id),
          ids.slice(offset, offset + limit),
        )
        assert.deepEqual(body.pagination, { limit, offset, total: 30 })
      }
    }
  })
}

function filters(api: Api, clock: HandClock): void {
  test('each filter, and any of them together, finds exactly what matches', async () => {
    const { client, list, endpoints } = await withDeliveries(api, clock)
    assert.equal(list.length, 5)
    const at = (i: number): string => list[i]?.createdAt
    const cases: readonly (readonly [query: string, matches: (delivery: Body) => boolean])[] = [
      [`endpointId=${endpoints[0]?.id}`, ({ endpointId }) => endpointId === endpoints[0]?.id],
      [`endpointId=we_nobody`, () => false],
      ['eventType=monitor.paused', ({ eventType }) => eventType === 'monitor.paused'],
      ['eventType=incident.opened', () => false],
      ...(['PENDING', 'SUCCEEDED', 'FAILED'] as const).map(
        (status) => [`status=${status}`, (delivery: Body) => delivery.status === status] as const,
      ),
      [`createdAfter=${at(1)}`, ({ createdAt }) => createdAt > at(1)],
      [`createdBefore=${at(3)}`, ({ createdAt }) => createdAt < at(3)],
      [`createdAfter=${at(0)}&createdBefore=${at(4)}`, ({ createdAt }) => createdAt > at(0) && createdAt < at(4)],
      [`createdAfter=2100-01-01T00:00%2B02:00`, () => false],
      [
        `endpointId=${endpoints[0]?.id}&status=PENDING&eventType=monitor.paused`,
        ({ endpointId, status, eventType }) =>
          endpointId === endpoints[0]?.id && status === 'PENDING' && eventType === 'monitor.paused',
      ],
    ]
    for (const [query, matches] of cases) {
      const { body } = await client.get(`/webhook-deliveries?${query}`)
      const expected = list.filter(matches).toReversed()
      assert.deepEqual(body.data, expected, query)
      assert.equal(body.pagination.total, expected.length, query)
    }
  })

  test("a filter by another organization's endpoint finds nothing", async () => {
    const [own, other] = [await withDeliveries(api, clock), await withDeliveries(api, clock)]
    assert.deepEqual(await deliveries(own.client, `&endpointId=${other.endpoints[0]?.id}`), [])
  })
}

function detail(api: Api, clock: HandClock): void {
  test('a single delivery equals its entry in the list, plus its event and its attempts in order', async () => {
    const { client, orgId, list } = await withDeliveries(api, clock)
    const listed = list[3] as Body
    const attempt = {
      org_id: orgId,
      delivery_id: listed.id as string,
      trigger_kind: 'SCHEDULED' as const,
      started_at: clock.now(),
      duration_ms: 12,
      outcome: 'FAILED' as const,
    }
    const ids = [newId('att', clock.now()), newId('att', clock.now())]
    await api.server.running.database.write(() =>
      execute(
        q.insertInto('webhook_attempts').values([
          {
            ...attempt,
            number: 2,
            id: ids[1] as string,
            response_status: null,
            response_body: null,
            error: 'DNS',
          },
          {
            ...attempt,
            number: 1,
            id: ids[0] as string,
            response_status: 500,
            response_body: 'no',
            error: 'STATUS',
          },
        ]),
      ),
    )
    const { payload, attempts, ...rest } = await currentDelivery(client, listed.id)
    assert.deepEqual(rest, listed)
    assert.deepEqual([payload.id, payload.type], [listed.eventId, listed.eventType])
    const same = {
      trigger: 'SCHEDULED',
      startedAt: new Date(clock.now()).toISOString(),
      durationMs: 12,
      outcome: 'FAILED',
    }
    assert.deepEqual(attempts, [
      { id: ids[0], number: 1, ...same, responseStatus: 500, responseBody: 'no', error: 'STATUS' },
      { id: ids[1], number: 2, ...same, responseStatus: null, responseBody: null, error: 'DNS' },
    ])
  })
}
