import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { type Body, createPage, createPublished, currentPage, posted, setState, showing } from '../../support/status.ts'

const HOUR_MS = 3_600_000

/** Creates a maintenance window of an hour that starts now. */
async function maintenance(client: Client, clock: HandClock, extra: Body): Promise<Body> {
  const startsAt = new Date(clock.now()).toISOString()
  const endsAt = new Date(clock.now() + HOUR_MS).toISOString()
  const answer = await client.post('/maintenance-windows', { name: 'Upgrade', startsAt, endsAt, ...extra })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

forEachEngine('overallStatus', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  const overall = async (client: Client, page: Body): Promise<string> => {
    const { overallStatus, updatedAt } = await currentPage(client, page.id)
    assert.equal(updatedAt, page.updatedAt, 'how a page stands is no change of the page')
    return overallStatus
  }

  test('is MAINTENANCE during a window in any monitor state, unless something else is worse', async () => {
    const { client } = await api.tenant()
    const [a, b] = [await createMonitor(client, smallest('HTTP')), await createMonitor(client, smallest('HTTP'))]
    await setState(api.server, a, 'DOWN')
    await setState(api.server, b, 'UP')
    const page = await createPage(client, { sections: [showing(a, b)] })
    const elsewhere = await createPage(client, { sections: [showing(b)] })
    assert.equal(await overall(client, page), 'PARTIAL_OUTAGE')
    await maintenance(client, clock, { monitorIds: [a.id] })
    assert.equal(await overall(client, page), 'MAINTENANCE')
    assert.equal(await overall(client, elsewhere), 'OPERATIONAL')
    await setState(api.server, b, 'DEGRADED')
    assert.equal(await overall(client, page), 'DEGRADED')
    await setState(api.server, b, 'UP')
    const affectedMonitors = [{ monitorId: a.id, status: 'PARTIAL_OUTAGE' }]
    const { id } = await createPublished(client, page.id, { affectedMonitors })
    assert.equal(await overall(client, page), 'PARTIAL_OUTAGE')
    await posted(client, id, { status: 'RESOLVED' })
    assert.equal(await overall(client, page), 'MAINTENANCE')
    clock.advance(HOUR_MS)
    assert.equal(await overall(client, page), 'PARTIAL_OUTAGE')
  })

  test('a window with pages counts only on those; one for all monitors counts on every page', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    const pages = [
      await createPage(client, { sections: [showing(monitor)] }),
      await createPage(client, { sections: [showing(monitor)] }),
      await createPage(client),
    ]
    const all = () => Promise.all(pages.map((page) => overall(client, page)))
    const { id } = await maintenance(client, clock, { monitorIds: [monitor.id], statusPageIds: [pages[1]?.id] })
    assert.deepEqual(await all(), ['OPERATIONAL', 'MAINTENANCE', 'OPERATIONAL'])
    await client.delete(`/maintenance-windows/${id}`)
    assert.deepEqual(await all(), ['OPERATIONAL', 'OPERATIONAL', 'OPERATIONAL'])
    await maintenance(client, clock, { allMonitors: true })
    assert.deepEqual(await all(), ['MAINTENANCE', 'MAINTENANCE', 'OPERATIONAL'])
    const { data } = (await client.get('/status-pages')).body
    assert.deepEqual(
      data.map(({ overallStatus }: Body) => overallStatus),
      ['MAINTENANCE', 'MAINTENANCE', 'OPERATIONAL'],
    )
  })

  test('incidents of another organization do not count', async () => {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const monitor = await createMonitor(own.client, smallest('CRON'))
    const page = await createPage(own.client, { sections: [showing(monitor)] })
    await maintenance(other.client, clock, { allMonitors: true })
    const foreign = await createMonitor(other.client, smallest('CRON'))
    const foreignPage = await createPage(other.client, { sections: [showing(foreign)] })
    await createPublished(other.client, foreignPage.id, {
      affectedMonitors: [{ monitorId: foreign.id, status: 'MAJOR_OUTAGE' }],
    })
    assert.equal(await overall(own.client, page), 'OPERATIONAL')
    assert.equal(await overall(other.client, foreignPage), 'MAJOR_OUTAGE')
  })
})
