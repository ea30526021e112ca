import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { bodyOf } from '../../support/server.ts'
import { createPage, createPublished } from '../../support/status.ts'
import { createDelivery, createEndpoint } from '../../support/webhooks.ts'

/** Everything below happens in this second, or is dated to it. */
const SECOND = '2026-12-31T23:59:59.000Z'
const BEFORE = '2026-12-31T23:58:60Z'
const AT = '2026-12-31T23:59:60Z'
const AT_ELSEWHERE = encodeURIComponent('2027-01-01T00:59:60+01:00')
const AFTER = '2027-01-01T00:00:60Z'

describe('the second 60', () => {
  const api = useApi('sqlite', { clock: new HandClock(Date.parse(SECOND)) })
  inBodies(api)
  inFilters(api)
})

function inBodies(api: Api): void {
  test('is read as 59 in bodies', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client)
    const published = await createPublished(client, page.id, { startedAt: AT })
    assert.equal(published.startedAt, SECOND)
    const times = { startsAt: BEFORE, endsAt: AT, recurrence: 'DAILY', recurrenceEndsAt: AFTER }
    const window = await client.post('/maintenance-windows', { name: 'W', allMonitors: true, ...times })
    assert.equal(window.status, 201, JSON.stringify(window.body))
    const { startsAt, endsAt, recurrenceEndsAt } = window.body
    assert.deepEqual(
      [startsAt, endsAt, recurrenceEndsAt],
      ['2026-12-31T23:58:59.000Z', SECOND, '2027-01-01T00:00:59.000Z'],
    )
  })
}

function inFilters(api: Api): void {
  const filters = [
    ['/incidents', 'startedAfter', 'startedBefore'],
    ['/status-incidents', 'startedAfter', 'startedBefore'],
    ['/maintenance-windows', 'startsAfter', 'startsBefore'],
    ['/webhook-deliveries', 'createdAfter', 'createdBefore'],
  ] as const
  for (const [path, after, before] of filters) {
    test(`is read as 59 in ${after} and ${before} of ${path}`, async () => {
      const { client } = await api.tenant()
      const endpoint = await createEndpoint(client, { eventTypes: ['webhook.test'] })
      await createDelivery(client, endpoint.id)
      // A job that reports a failure is down from that moment, to the millisecond.
      const { heartbeatUrl } = await createMonitor(client, smallest('CRON'))
      assert.equal((await fetch(`${api.server.url}${new URL(heartbeatUrl).pathname}/fail`)).status, 200)
      await createPublished(client, (await createPage(client)).id, { startedAt: SECOND })
      const span = { startsAt: SECOND, endsAt: '2027-01-02T00:00Z' }
      assert.equal((await client.post('/maintenance-windows', { name: 'W', allMonitors: true, ...span })).status, 201)
      const found = async (query: string): Promise<number> => {
        return bodyOf(await client.get(`${path}?${query}`)).pagination.total
      }
      assert.deepEqual([await found(`${after}=${BEFORE}`), await found(`${before}=${BEFORE}`)], [1, 0])
      assert.deepEqual([await found(`${after}=${AFTER}`), await found(`${before}=${AFTER}`)], [0, 1])
      for (const at of [AT, AT_ELSEWHERE]) {
        assert.deepEqual([await found(`${after}=${at}`), await found(`${before}=${at}`)], [0, 0], at)
      }
    })
  }
}
