import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { type Body, createPublished, posted, type StatusTenant, tenantWithPage } from '../../support/status.ts'
import { createEndpoint, sentEvents } from '../../support/webhooks.ts'

type SentEvent = [type: string, data: Body]

/** An organization with a webhook endpoint for all events. */
async function listening(api: Api): Promise<StatusTenant & { sent(): Promise<SentEvent[]> }> {
  const tenant = await tenantWithPage(api)
  await createEndpoint(tenant.client)
  const sent = async () => (await sentEvents(tenant.client)).map(({ type, data }): SentEvent => [type, data])
  return { ...tenant, sent }
}

forEachEngine('events of published incidents', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })

  test('published, update posted, edited, resolved: each event contains the incident as the API returned it', async () => {
    const { client, page, sent } = await listening(api)
    const published = await createPublished(client, page.id, { title: 'Umlaut ü "quoted" \\ \u2028' })
    clock.advance(1_000)
    const update = await posted(client, published.id)
    const edited = (await client.patch(`/status-incidents/${published.id}`, { impact: 'MAJOR' })).body
    const over = await posted(client, published.id, { status: 'RESOLVED' })
    await client.delete(`/status-incidents/${published.id}`)
    assert.deepEqual(await sent(), [
      ['status_incident.published', published],
      ['status_incident.update_posted', update],
      ['status_incident.updated', edited],
      ['status_incident.update_posted', over],
      ['status_incident.resolved', over],
    ])
  })

  test('resolved is emitted once per transition: by an update, by an edit, and by creation as RESOLVED', async () => {
    const { client, page, published, sent } = await listening(api)
    const path = `/status-incidents/${published.id}`
    await client.patch(path, { status: 'RESOLVED' })
    await posted(client, published.id, { status: 'RESOLVED' })
    await client.patch(path, { status: 'RESOLVED', title: 'Over' })
    await posted(client, published.id, { status: 'IDENTIFIED' })
    await posted(client, published.id, { status: 'RESOLVED' })
    await createPublished(client, page.id, { status: 'RESOLVED' })
    assert.deepEqual(
      (await sent()).map(([type]) => type.replace('status_incident.', '')),
      [
        'updated',
        'resolved',
        'update_posted',
        'updated',
        'update_posted',
        'update_posted',
        'resolved',
        'published',
        'resolved',
      ],
    )
  })

  test('requests without effect, rejected requests and replays emit nothing', async () => {
    const { client, published, sent, monitor } = await listening(api)
    const path = `/status-incidents/${published.id}`
    await client.patch(path, { title: published.title })
    await client.patch(path, {})
    expectError(await client.patch(path, { impact: 'x' }), 'validation_error')
    expectError(await client.post('/status-incidents', { title: 'x' }), 'validation_error')
    expectError(await client.post(`${path}/updates`, { status: 'RESOLVED' }), 'validation_error')
    const affectedMonitors = [
      { monitorId: monitor.id, status: 'DEGRADED' },
      { monitorId: 'x', status: 'DEGRADED' },
    ]
    expectError(await client.patch(path, { title: 'Never', affectedMonitors }), 'validation_error')
    const headers = { 'idempotency-key': 'once' }
    for (let i = 0; i < 3; i += 1) await client.post(`${path}/updates`, { status: 'MONITORING', message: 'x' }, headers)
    assert.deepEqual(
      (await sent()).map(([type]) => type),
      ['status_incident.update_posted'],
    )
  })

  test('other organizations get no events', async () => {
    const [own, other] = [await listening(api), await listening(api)]
    await posted(other.client, other.published.id)
    assert.deepEqual(await own.sent(), [])
    assert.equal((await other.sent()).length, 1)
  })

  test('status pages emit no events', async () => {
    const { client, page, sent } = await listening(api)
    await client.patch(`/status-pages/${page.id}`, { name: 'Renamed' })
    await client.delete(`/status-pages/${page.id}`)
    assert.deepEqual(await sent(), [])
  })
})
