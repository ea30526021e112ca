import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pharos } from '../../clients/typescript/src/index.ts'
import { resources } from '../../clients/typescript/src/resources.ts'
import { operations } from '../../src/server/operations/table.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { closedPort } from '../support/targets.ts'
import { settle } from '../support/webhooks.ts'

/** `POST /monitors/{monitorId}/pause` */
const inTable = operations.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
const inClient = Object.values(resources).flatMap((methods) =>
  Object.values(methods).map(({ method, path }) => `${method} ${path}`),
)

test('the client has one method for every operation of the server', () => {
  assert.deepEqual(inClient.toSorted(), inTable.toSorted())
})

test('every resource of the table is a property of the client', () => {
  const pharos = new Pharos({ url: 'http://localhost', apiKey: 'phr_x' })
  assert.deepEqual(Object.keys(pharos), Object.keys(resources))
  for (const [name, methods] of Object.entries(resources)) {
    const found: object = pharos[name as keyof typeof resources]
    assert.deepEqual(Object.keys(found), Object.keys(methods))
  }
})

forEachEngine('every operation through the client', (engine) => {
  const api = useApi(engine)

  test('is reached by its method, and the answers have the declared types', async () => {
    const { key } = await api.tenant()
    const called = new Set<string>()
    const recording: typeof fetch = (input, init) => {
      const path = new URL(String(input)).pathname.replace('/api/v1', '')
      const match = inTable.find((entry) => {
        const [method, template = ''] = entry.split(' ')
        return method === init?.method && new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
      })
      called.add(match ?? `${init?.method} ${path}`)
      return fetch(input, init)
    }
    const pharos = new Pharos({ url: api.server.url, apiKey: key, fetch: recording })
    const monitorId = await useMonitors(pharos)
    const pageId = await usePages(pharos, monitorId)
    await useWindows(pharos, monitorId)
    await usePublishedIncidents(pharos, pageId)
    await useWebhooks(pharos, (id) => settle(api.server, id, 'FAILED'))
    await useInsight(pharos, monitorId)
    await pharos.statusPages.delete(pageId)
    assert.deepEqual(await pharos.monitors.delete(monitorId), { data: { id: monitorId } })
    assert.deepEqual([...called].sort(), inTable.toSorted())
  })

  test('is reached by method and path, with the same answer', async () => {
    const pharos = new Pharos({ url: api.server.url, apiKey: (await api.tenant()).key })
    const made = await pharos.request('POST', '/monitors', { body: { name: 'Job', type: 'CRON' } })
    const params = { monitorId: made.id }
    const read = await pharos.request('GET', '/monitors/{monitorId}', { params })
    assert.deepEqual(read, await pharos.monitors.get(made.id))
    assert.deepEqual(await pharos.send('GET', `/monitors/${made.id}`), read)
    const { pagination } = await pharos.request('GET', '/monitors', { query: { limit: 1 } })
    assert.deepEqual(pagination, { limit: 1, offset: 0, total: 1 })
  })
})

async function useMonitors(pharos: Pharos): Promise<string> {
  const port = await closedPort()
  const { id } = await pharos.monitors.create({ name: 'Shop', type: 'PORT', host: '127.0.0.1', port })
  assert.equal((await pharos.monitors.update(id, { name: 'Store' })).name, 'Store')
  assert.equal((await pharos.monitors.pause(id)).state, 'PAUSED')
  assert.equal((await pharos.monitors.resume(id)).state, 'PENDING')
  assert.equal((await pharos.monitors.check(id)).state, 'DOWN')
  assert.equal((await pharos.monitors.get(id)).state, 'DOWN')
  assert.deepEqual(
    (await pharos.monitors.list().toArray()).map((monitor) => monitor.id),
    [id],
  )
  const [incident] = await pharos.incidents.list({ status: 'ONGOING' }).toArray()
  assert.equal(incident?.monitor.id, id)
  assert.equal((await pharos.incidents.acknowledge(incident.id)).acknowledged, true)
  assert.equal((await pharos.incidents.get(incident.id)).timeline.length > 0, true)
  return id
}

async function useInsight(pharos: Pharos, monitorId: string): Promise<void> {
  assert.equal((await pharos.monitors.uptime(monitorId, { span: '7d' })).data[0]?.span, '7d')
  assert.equal((await pharos.monitors.responseTimes(monitorId)).stepSeconds, 3600)
  assert.deepEqual(await pharos.monitors.heartbeats(monitorId).toArray(), [])
  assert.equal((await pharos.monitors.checks(monitorId, { state: 'DOWN' }).page()).data[0]?.causeCode, 'CONNECT')
  const port = await closedPort()
  const tried = await pharos.monitors.try({ name: 'Other', type: 'PORT', host: '127.0.0.1', port })
  assert.equal(tried.outcome, 'FAILURE')
  assert.equal((await pharos.usage.get()).monitors.used, 1)
  assert.match(await pharos.metrics.monitors(), /^pharos_monitor_up\{id="mon_/m)
  assert.equal((await pharos.webhookEvents.list().page()).pagination.total, 22)
  assert.equal((await pharos.auditLog.list({ limit: 1 }).page()).data[0]?.actor.type, 'API_KEY')
}

async function usePages(pharos: Pharos, monitorId: string): Promise<string> {
  const sections = [{ name: 'All', monitors: [{ monitorId }] }]
  const { id } = await pharos.statusPages.create({ name: 'Status', sections })
  assert.equal((await pharos.statusPages.update(id, { theme: 'DARK' })).theme, 'DARK')
  assert.equal((await pharos.statusPages.get(id)).sections[0]?.monitors[0]?.monitorId, monitorId)
  assert.equal((await pharos.statusPages.list({ published: true }).page()).pagination.total, 1)
  return id
}

async function useWindows(pharos: Pharos, monitorId: string): Promise<void> {
  const times = { startsAt: '2999-01-01T00:00:00Z', endsAt: '2999-01-01T01:00:00Z' }
  const { id } = await pharos.maintenanceWindows.create({ name: 'Upgrade', ...times, monitorIds: [monitorId] })
  assert.equal((await pharos.maintenanceWindows.update(id, { name: 'Later' })).name, 'Later')
  assert.equal((await pharos.maintenanceWindows.get(id)).status, 'SCHEDULED')
  assert.equal((await pharos.maintenanceWindows.list({ monitorId }).toArray())[0]?.id, id)
  assert.equal((await pharos.maintenanceWindows.delete(id)).data.id, id)
}

async function usePublishedIncidents(pharos: Pharos, pageId: string): Promise<void> {
  const { publishedIncidents } = pharos
  const { id } = await publishedIncidents.create({ title: 'Slow', statusPageIds: [pageId], message: 'Looking' })
  assert.equal((await publishedIncidents.update(id, { impact: 'MAJOR' })).impact, 'MAJOR')
  const updated = await publishedIncidents.postUpdate(id, { status: 'RESOLVED', message: 'Fixed' })
  assert.equal(updated.updates.length, 2)
  assert.equal((await publishedIncidents.get(id)).status, 'RESOLVED')
  assert.equal((await publishedIncidents.list({ impact: 'MAJOR' }).toArray())[0]?.id, id)
  assert.equal((await publishedIncidents.delete(id)).data.id, id)
}

async function useWebhooks(pharos: Pharos, fail: (deliveryId: string) => Promise<void>): Promise<void> {
  const { webhookEndpoints, webhookDeliveries } = pharos
  const { id, secret } = await webhookEndpoints.create({ url: 'https://hooks.example/pharos' })
  assert.notEqual((await webhookEndpoints.rotateSecret(id)).secret, secret)
  assert.equal((await webhookEndpoints.update(id, { description: 'Chat' })).description, 'Chat')
  assert.equal((await webhookEndpoints.get(id)).description, 'Chat')
  assert.equal((await webhookEndpoints.list({ enabled: true }).toArray())[0]?.id, id)
  const delivery = await webhookEndpoints.test(id)
  await fail(delivery.id)
  assert.equal((await webhookDeliveries.list({ endpointId: id }).toArray())[0]?.status, 'FAILED')
  assert.equal((await webhookDeliveries.retry(delivery.id)).status, 'PENDING')
  assert.equal((await webhookDeliveries.get(delivery.id)).payload.type, 'webhook.test')
  assert.equal((await webhookEndpoints.delete(id)).data.id, id)
}
