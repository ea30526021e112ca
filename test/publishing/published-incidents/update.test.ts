import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import {
  type Body,
  createPage,
  currentPage,
  currentPublished,
  posted,
  showing,
  tenantWithPage,
  untouchedBy,
} from '../../support/status.ts'

const changes: Body = {
  title: 'Other',
  status: 'IDENTIFIED',
  impact: 'NONE',
  affectedMonitors: [],
  startedAt: '2026-01-02T03:04:05.678Z',
  postmortem: '# Why',
}

/** Changes that break rules beyond the schema. */
const badBodies: readonly (readonly [body: Body, paths: readonly string[]])[] = [
  [{ statusPageIds: ['page_x'] }, ['statusPageIds.0']],
  [{ affectedMonitors: [{ monitorId: 'x', status: 'DEGRADED' }] }, ['affectedMonitors.0.monitorId']],
  [{ incidentId: 'inc_x' }, ['incidentId']],
  [{ message: 'x', resolvedAt: null }, ['message', 'resolvedAt']],
  [{ title: 1, impact: 'x', updates: [] }, ['impact', 'title', 'updates']],
]

forEachEngine('PATCH /status-incidents/{statusIncidentId}', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  fields(api, clock)
  status(api, clock)
  places(api)
})

function fields(api: Api, clock: HandClock): void {
  test('changing one field changes nothing else and adds no update', async () => {
    const { client, published } = await tenantWithPage(api)
    let before = published
    for (const [field, value] of Object.entries(changes)) {
      clock.advance(1_000)
      const { body } = await client.patch(`/status-incidents/${published.id}`, { [field]: value })
      assert.deepEqual(body, { ...before, [field]: value, updatedAt: new Date(clock.now()).toISOString() }, field)
      assert.deepEqual(await currentPublished(client, published.id), body)
      before = body
    }
  })

  test('a change without effect does not change updatedAt', async () => {
    const { client, published } = await tenantWithPage(api)
    clock.advance(1_000)
    const { title, status: now, impact, statusPageIds, affectedMonitors, incidentId, startedAt, postmortem } = published
    const same = { title, status: now, impact, statusPageIds, affectedMonitors, incidentId, startedAt, postmortem }
    for (const body of [same, {}, { notifySubscribers: true }]) {
      assert.deepEqual((await client.patch(`/status-incidents/${published.id}`, body)).body, published)
    }
  })

  test('with a fault or an unknown reference nothing is applied', async () => {
    const { client, published } = await tenantWithPage(api)
    await untouchedBy(client, async () => {
      for (const [body, paths] of badBodies) {
        const change = { notifySubscribers: true, postmortem: 'Not applied', ...body }
        expectError(await client.patch(`/status-incidents/${published.id}`, change), 'validation_error', paths)
      }
    })
  })

  test('a missing incident is 404 before unknown references are checked', async () => {
    const { client } = await tenantWithPage(api)
    expectError(await client.patch('/status-incidents/sinc_x', { incidentId: 'inc_x' }), 'not_found')
  })
}

function status(api: Api, clock: HandClock): void {
  test('RESOLVED ends it and any other status reopens it, without adding an update', async () => {
    const { client, published, monitor, page } = await tenantWithPage(api)
    const edit = async (body: Body): Promise<Body> =>
      (await client.patch(`/status-incidents/${published.id}`, body)).body
    clock.advance(1_000)
    const over = await edit({ status: 'RESOLVED' })
    assert.equal(over.resolvedAt, new Date(clock.now()).toISOString())
    assert.deepEqual(over.affectedMonitors, [{ monitorId: monitor.id, status: 'OPERATIONAL' }])
    assert.deepEqual(over.updates, published.updates)
    assert.equal((await currentPage(client, page.id)).overallStatus, 'OPERATIONAL')
    clock.advance(1_000)
    assert.equal((await edit({ status: 'RESOLVED', title: 'Over' })).resolvedAt, over.resolvedAt)
    const affectedMonitors = [{ monitorId: monitor.id, status: 'PARTIAL_OUTAGE' }]
    const again = await edit({ status: 'MONITORING', affectedMonitors })
    assert.deepEqual([again.resolvedAt, again.affectedMonitors], [null, affectedMonitors])
    assert.equal((await currentPage(client, page.id)).overallStatus, 'PARTIAL_OUTAGE')
  })

  test('while RESOLVED its monitors are OPERATIONAL, even against the request', async () => {
    const { client, published, page } = await tenantWithPage(api)
    await posted(client, published.id, { status: 'RESOLVED' })
    const other = await createMonitor(client, smallest('CRON'))
    const affectedMonitors = [{ monitorId: other.id, status: 'MAJOR_OUTAGE' }]
    const { body } = await client.patch(`/status-incidents/${published.id}`, { affectedMonitors })
    assert.deepEqual(body.affectedMonitors, [{ monitorId: other.id, status: 'OPERATIONAL' }])
    assert.equal((await currentPage(client, page.id)).overallStatus, 'OPERATIONAL')
  })

  test('a resolved incident cannot start after its end', async () => {
    const { client, published } = await tenantWithPage(api)
    const { resolvedAt } = await posted(client, published.id, { status: 'RESOLVED' })
    const edit = (startedAt: string) => client.patch(`/status-incidents/${published.id}`, { startedAt })
    assert.equal((await edit(resolvedAt)).status, 200)
    const late = new Date(Date.parse(resolvedAt) + 1).toISOString()
    expectError(await untouchedBy(client, () => edit(late)), 'validation_error', ['startedAt'])
  })
}

function places(api: Api): void {
  test('statusPageIds replaces the pages', async () => {
    const { client, published, page, monitor } = await tenantWithPage(api)
    const other = await createPage(client, { sections: [showing(monitor)] })
    const overall = async (): Promise<string[]> => [
      (await currentPage(client, page.id)).overallStatus,
      (await currentPage(client, other.id)).overallStatus,
    ]
    assert.deepEqual(await overall(), ['DEGRADED', 'OPERATIONAL'])
    const edit = async (statusPageIds: string[]): Promise<string[]> =>
      (await client.patch(`/status-incidents/${published.id}`, { statusPageIds })).body.statusPageIds
    assert.deepEqual(await edit([other.id]), [other.id])
    assert.deepEqual(await overall(), ['OPERATIONAL', 'DEGRADED'])
    assert.deepEqual(await edit([other.id, page.id]), [other.id, page.id])
    assert.deepEqual(await edit([page.id, other.id]), [page.id, other.id])
    assert.deepEqual(await overall(), ['DEGRADED', 'DEGRADED'])
  })
}
