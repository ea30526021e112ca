import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import type { Answer, Client } from '../../support/server.ts'

/** More than one portion of `changeInPortions`. */
const MONITORS = 110

/** Some at a time: on a busy machine, more would wait too long for one of four connections. */
async function makeMonitors(client: Client, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let from = 0; from < count; from += 20) {
    const created = Array.from({ length: Math.min(20, count - from) }, (_, i) => {
      const type = (from + i) % 50 === 0 ? 'CRON' : 'HTTP'
      return client.post('/monitors', { name: `m${from + i}`, type, url: 'https://example.com/' })
    })
    for (const { status, body } of await Promise.all(created)) {
      assert.equal(status, 201, JSON.stringify(body))
      ids.push(body.id)
    }
  }
  return ids
}

forEachEngine('changing many monitors at once', (engine) => {
  const installation = useInstallation(engine)

  test('leaves an event with the monitor, deliveries in order and an audit entry for each', async () => {
    const { orgId, key } = await installation.server.organization('SELF_HOSTED')
    const client = installation.server.client(key)
    for (const path of ['a', 'b']) await client.post('/webhook-endpoints', { url: `https://example.com/${path}` })
    const ids = (await makeMonitors(client, MONITORS)).toSorted()
    const { database } = installation.server.running
    const change = async (action: string) => {
      const { status, body } = await client.post('/monitors/bulk', { monitorIds: ids, action })
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.changed, MONITORS)
    }
    const eventsOf = async (type: string) => {
      const events = q.selectFrom('events').select(['id', 'body']).where('org_id', '=', orgId).where('type', '=', type)
      return (await database.read(execute(events.orderBy('id')))).map((row) => ({
        id: row.id,
        data: JSON.parse(row.body).data,
      }))
    }
    for (const [action, type, audited] of [
      ['PAUSE', 'monitor.paused', 'pauseMonitor'],
      ['RESUME', 'monitor.resumed', 'resumeMonitor'],
      ['DELETE', 'monitor.deleted', 'deleteMonitor'],
    ] as const) {
      const { body: last } = await client.get(`/monitors/${ids[0]}`)
      await change(action)
      const events = await eventsOf(type)
      assert.deepEqual(
        events.map(({ data }) => data.id),
        ids,
      )
      const { body: now } = await client.get(`/monitors/${ids[0]}`)
      // The event is the monitor as the API returns it after the change; of a deleted one, before. Its heartbeat URL is stored with a mask.
      const shown = action === 'DELETE' ? last : now
      const heartbeatUrl = shown.heartbeatUrl.replace(/[^/]+$/, '***')
      assert.deepEqual(events[0]?.data, { ...shown, heartbeatUrl })
      const deliveries = await database.read(
        execute(
          q
            .selectFrom('webhook_deliveries')
            .select(['event_id', 'endpoint_id', 'seq'])
            .where('org_id', '=', orgId)
            .where('event_type', '=', type)
            .orderBy('seq'),
        ),
      )
      assert.deepEqual(
        deliveries.map((row) => row.event_id),
        events.flatMap(({ id }) => [id, id]),
      )
      const entries = q.selectFrom('audit_entries').select('target').where('org_id', '=', orgId)
      const targets = await database.read(execute(entries.where('action', '=', audited).orderBy('id')))
      assert.deepEqual(
        targets.map(({ target }) => target),
        ids,
      )
    }
    assert.equal((await client.get('/monitors')).body.pagination.total, 0)
    assert.equal((await client.get('/webhook-endpoints')).body.pagination.total, 2)
  })
})

forEachEngine('what belongs to many monitors', (engine) => {
  const installation = useInstallation(engine)

  test('of several requests about the same monitors, all are answered', async () => {
    const { key } = await installation.server.organization('SELF_HOSTED')
    const client = installation.server.client(key)
    const ids = await makeMonitors(client, 40)
    const label = { action: 'LABEL', labels: { team: 'pay' } }
    const actions = [{ action: 'PAUSE' }, label, { action: 'DELETE' }, { action: 'RESUME' }, { action: 'CHECK' }, label]
    const send = async (given: object, i: number): Promise<Answer> => {
      const answer = await client.post('/monitors/bulk', { monitorIds: i % 2 === 0 ? ids : ids.toReversed(), ...given })
      // On a busy machine a request may wait longer for its turn than the server lets it.
      return answer.status === 429 ? send(given, i) : answer
    }
    const answers = await Promise.all(actions.map(send))
    assert.deepEqual(
      answers.map(({ status }) => status),
      actions.map(() => 200),
    )
    assert.equal((await client.get('/monitors')).body.pagination.total, 0)
    assert.deepEqual((await client.get('/labels')).body.data, [])
  })

  test('a deletion removes the labels, incidents, windows and pages of each', async () => {
    const { orgId, key } = await installation.server.organization('SELF_HOSTED')
    const client = installation.server.client(key)
    const [kept, ...gone] = await makeMonitors(client, 12)
    const all = [kept as string, ...gone]
    await client.post('/monitors/bulk', { monitorIds: all, action: 'LABEL', labels: { team: 'pay' } })
    const times = { startsAt: '2040-01-01T00:00:00Z', endsAt: '2040-01-01T01:00:00Z' }
    const window = (await client.post('/maintenance-windows', { name: 'w', ...times, monitorIds: all })).body
    const sections = [{ name: 'all', monitors: all.map((monitorId) => ({ monitorId })) }]
    const page = (await client.post('/status-pages', { name: 'p', slug: `p-${engine}`, sections })).body
    const published = await client.post('/status-incidents', {
      title: 't',
      message: 'm',
      statusPageIds: [page.id],
      affectedMonitors: all.map((monitorId) => ({ monitorId, status: 'DEGRADED' })),
    })
    assert.equal(published.status, 201, JSON.stringify(published.body))
    const { status, body } = await client.post('/monitors/bulk', { monitorIds: gone, action: 'DELETE' })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.changed, 11)
    assert.deepEqual((await client.get(`/maintenance-windows/${window.id}`)).body.monitorIds, [kept])
    const { body: shown } = await client.get(`/status-pages/${page.id}`)
    assert.deepEqual(
      shown.sections[0].monitors.map(({ monitorId }: { monitorId: string }) => monitorId),
      [kept],
    )
    const { body: incident } = await client.get(`/status-incidents/${published.body.id}`)
    assert.deepEqual(
      incident.affectedMonitors.map(({ monitorId }: { monitorId: string }) => monitorId),
      [kept],
    )
    const { data } = (await client.get('/labels')).body
    assert.deepEqual([data[0].label, data[0].monitors], ['team', 1])
    const { database } = installation.server.running
    for (const table of ['monitor_states', 'monitors', 'monitor_labels', 'maintenance_monitors'] as const) {
      const rows = await database.read(execute(q.selectFrom(table).select('num').where('org_id', '=', orgId)))
      assert.equal(rows.length, 1, table)
    }
    assert.equal((await client.get('/monitors')).body.pagination.total, 1)
  })

  test('an interval that the plan does not permit is reported, without an audit entry', async () => {
    const { orgId, key } = await installation.server.organization('FREE')
    const client = installation.server.client(key)
    const settings = { name: 'slow', type: 'HTTP', url: 'https://example.com/', intervalSeconds: 300 }
    const { id } = (await client.post('/monitors', settings)).body
    const { status, body } = await client.patch('/monitors/bulk', { monitorIds: [id], intervalSeconds: 30 })
    assert.deepEqual([status, body.failed], [200, 1], JSON.stringify(body))
    assert.match(body.data[0].error, /plan checks every/)
    const { database } = installation.server.running
    const entries = q.selectFrom('audit_entries').select('action').where('org_id', '=', orgId)
    assert.deepEqual(await database.read(execute(entries.where('action', '=', 'updateMonitor'))), [])
  })
})
