import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { type Body, createPage, createPublished, currentPage, currentPublished, showing } from '../../support/status.ts'

forEachEngine('deleting status pages and their monitors', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  pages(api)
  monitors(api, clock)
  together(api)
})

function pages(api: Api): void {
  test('deleting a page keeps its monitors', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    const { id } = await createPage(client, { sections: [showing(monitor)] })
    assert.deepEqual((await client.delete(`/status-pages/${id}`)).body, { data: { id } })
    for (const answer of [await client.get(`/status-pages/${id}`), await client.delete(`/status-pages/${id}`)]) {
      expectError(answer, 'not_found')
    }
    assert.equal((await client.get(`/monitors/${monitor.id}`)).status, 200)
    assert.equal((await client.get('/status-pages')).body.pagination.total, 0)
  })

  test('published incidents lose a deleted page; one without pages stays and can be put on another page', async () => {
    const { client } = await api.tenant()
    const [first, second] = [await createPage(client), await createPage(client)]
    const { id } = await createPublished(client, first.id, { statusPageIds: [second.id, first.id] })
    await client.delete(`/status-pages/${second.id}`)
    assert.deepEqual((await currentPublished(client, id)).statusPageIds, [first.id])
    await client.delete(`/status-pages/${first.id}`)
    assert.deepEqual((await currentPublished(client, id)).statusPageIds, [])
    assert.equal((await client.get('/status-incidents')).body.pagination.total, 1)
    const { id: third } = await createPage(client)
    assert.equal(
      (await client.post(`/status-incidents/${id}/updates`, { status: 'IDENTIFIED', message: 'x' })).status,
      201,
    )
    const moved = await client.patch(`/status-incidents/${id}`, { statusPageIds: [third] })
    assert.deepEqual(moved.body.statusPageIds, [third])
  })
}

function monitors(api: Api, clock: HandClock): void {
  test('a deleted monitor is removed from all sections of all pages, and the sections stay', async () => {
    const { client } = await api.tenant()
    const [kept, gone] = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
    const both = await createPage(client, { sections: [showing(gone, kept), showing(gone)] })
    const other = await createPage(client, { sections: [showing(kept)] })
    clock.advance(1_000)
    assert.equal((await client.delete(`/monitors/${gone.id}`)).status, 200)
    const after = await currentPage(client, both.id)
    assert.deepEqual(after.sections, [showing(kept), showing()].map(withoutNames))
    assert.equal(after.updatedAt, new Date(clock.now()).toISOString())
    assert.deepEqual(await currentPage(client, other.id), other)
  })

  test('a deleted monitor is removed from published incidents but not from their updates', async () => {
    const { client } = await api.tenant()
    const [kept, gone] = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
    const page = await createPage(client)
    const affectedMonitors = [gone, kept].map(({ id }) => ({ monitorId: id, status: 'DEGRADED' }))
    const published = await createPublished(client, page.id, { affectedMonitors })
    const other = await createPublished(client, page.id)
    clock.advance(1_000)
    await client.delete(`/monitors/${gone.id}`)
    const after = await currentPublished(client, published.id)
    const updatedAt = new Date(clock.now()).toISOString()
    assert.deepEqual(after.updates[0].affectedMonitors, affectedMonitors)
    assert.deepEqual(after, { ...published, affectedMonitors: affectedMonitors.slice(1), updatedAt })
    assert.deepEqual(await currentPublished(client, other.id), other)
  })
}

function withoutNames({ name, monitors: entries }: Body): Body {
  return { name, monitors: entries.map(({ monitorId }: Body) => ({ monitorId, displayName: null })) }
}

function together(api: Api): void {
  test('pages created and changed while their monitors are deleted never show a deleted monitor', async () => {
    const { client } = await api.tenant()
    const monitorsNow = await Promise.all(Array.from({ length: 12 }, () => createMonitor(client, smallest('CRON'))))
    const page = await createPage(client, { sections: [showing(...monitorsNow)] })
    const answers = await Promise.all(
      monitorsNow.flatMap((monitor, i) => [
        client.post('/status-pages', { name: 'Race', sections: [showing(...monitorsNow.slice(i))] }),
        client.delete(`/monitors/${monitor.id}`),
        client.patch(`/status-pages/${page.id}`, { sections: [showing(monitor), showing(monitor)] }),
        client.post('/status-incidents', {
          title: 'Race',
          message: 'x',
          statusPageIds: [page.id],
          affectedMonitors: [{ monitorId: monitor.id, status: 'DEGRADED' }],
        }),
      ]),
    )
    for (const answer of answers) assert.ok([200, 201, 400].includes(answer.status), JSON.stringify(answer.body))
    const { data } = (await client.get('/status-pages?limit=100')).body
    for (const { sections } of data) {
      for (const section of sections) assert.deepEqual(section.monitors, [], 'every monitor is gone by now')
    }
    const published = (await client.get('/status-incidents?limit=100')).body.data
    for (const { affectedMonitors } of published) assert.deepEqual(affectedMonitors, [])
  })
}
