import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Pharos } from '../../clients/typescript/src/index.ts'
import { resources } from '../../clients/typescript/src/resources.ts'
import { operations } from '../../src/server/operations/table.ts'
import { checks } from '../importers/stored-imports/upload.ts'
import { useApi } from '../support/api.ts'
import { closedPort } from '../support/ports.ts'
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

describe('every operation through the client', () => {
  const api = useApi('sqlite')

  test('is reached by its method, and the answers have the declared types', async () => {
    const { key } = await api.tenant()
    const called = new Set<string>()
    const recording: typeof fetch = (input, init) => {
      const path = new URL(String(input)).pathname.replace('/api/v1', '')
      const named = `${init?.method} ${path}`
      const match = inTable.find((entry) => {
        const [method, template = ''] = entry.split(' ')
        return method === init?.method && new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
      })
      called.add(inTable.includes(named) ? named : (match ?? named))
      return fetch(input, init)
    }
    const pharos = new Pharos({ url: api.server.url, apiKey: key, fetch: recording })
    await useOptions(pharos)
    const monitorId = await useMonitors(pharos)
    const pageId = await usePages(pharos, monitorId)
    await useWindows(pharos, monitorId)
    await usePublishedIncidents(pharos, pageId)
    await useContacts(pharos, monitorId)
    await useConfiguration(pharos, monitorId, pageId)
    await useShadowRuns(pharos)
    await useImports(pharos)
    await useChecksAndUptime(pharos, monitorId)
    await useWebhooks(pharos, (id) => settle(api.server, id, 'FAILED'))
    await useInsight(pharos, monitorId)
    await pharos.statusPages.delete(pageId)
    assert.deepEqual(await pharos.monitors.delete(monitorId), { data: { id: monitorId } })
    assert.deepEqual([...called].sort(), inTable.toSorted())
  })

  test('is reached by method and path, with the same answer', async () => {
    const pharos = new Pharos({ url: api.server.url, apiKey: (await api.tenant()).key })
    const created = await pharos.request('POST', '/monitors', { body: { name: 'Job', type: 'CRON' } })
    const params = { monitorId: created.id }
    const read = await pharos.request('GET', '/monitors/{monitorId}', { params })
    assert.deepEqual(read, await pharos.monitors.get(created.id))
    assert.deepEqual(await pharos.send('GET', `/monitors/${created.id}`), read)
    const { pagination } = await pharos.request('GET', '/monitors', { query: { limit: 1 } })
    assert.deepEqual(pagination, { limit: 1, offset: 0, total: 1 })
  })
})

async function useShadowRuns({ shadowRuns }: Pharos): Promise<void> {
  const { id } = await shadowRuns.create({ tool: 'GATUS', url: 'http://127.0.0.1:9/' })
  assert.deepEqual(
    (await shadowRuns.list()).data.map((run) => run.id),
    [id],
  )
  assert.equal((await shadowRuns.get(id)).endedAt, null)
  assert.deepEqual(await shadowRuns.disagreements(id).toArray(), [])
  assert.deepEqual(await shadowRuns.finish(id, { enableContacts: true }), { enabledContacts: 0 })
  assert.deepEqual(await shadowRuns.delete(id), { data: { id } })
}

async function useConfiguration(pharos: Pharos, monitorId: string, pageId: string): Promise<void> {
  const { configuration, monitors, contacts, statusPages, maintenanceWindows, webhookEndpoints } = pharos
  assert.equal((await configuration.get()).source, 'default')
  const hook = { name: 'Hook', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/a' } }
  const window = { name: 'Night', startsAt: '2030-01-01T02:00Z', endsAt: '2030-01-01T03:00Z', allMonitors: true }
  const document = {
    version: 1,
    contacts: { hook },
    maintenanceWindows: { night: window },
    webhookEndpoints: { events: { url: 'https://hooks.example/events' } },
  }
  const { planId } = await configuration.plan({ document } as Parameters<typeof configuration.plan>[0])
  const { changes } = await configuration.apply({ planId })
  assert.equal((await configuration.finishImport({ source: 'import-kuma' })).enabledContacts, 0)
  assert.equal((await configuration.importHistory({ source: 'import-kuma', monitors: [] })).days, 0)
  assert.deepEqual(await monitors.source(monitorId), null)
  assert.deepEqual(await statusPages.source(pageId), null)
  const created = { contacts, maintenanceWindows, webhookEndpoints }
  assert.equal(changes.length, 3)
  for (const [kind, resource] of Object.entries(created)) {
    const [found] = await (resource.list() as unknown as { toArray(): Promise<{ id: string }[]> }).toArray()
    assert.equal((await resource.source(found?.id ?? ''))?.source, 'default', kind)
    await resource.delete(found?.id ?? '')
  }
}

async function useImports({ imports }: Pharos): Promise<void> {
  const file = new Blob([checks])
  const { id, counts } = await imports.create(file, { source: 'healthchecks', files: 'checks.json' })
  assert.equal(counts.mappedWithLosses, 2)
  assert.equal((await imports.list().toArray())[0]?.id, id)
  const { planId } = await imports.plan(id, { keys: [] })
  assert.deepEqual((await imports.apply(id, { planId })).changes, [])
  assert.equal((await imports.get(id)).expiresAt, null)
  assert.deepEqual(await imports.delete(id), { data: { id } })
}

async function useLabels(pharos: Pharos, monitorId: string): Promise<void> {
  const labels = { env: 'prod', team: 'payments' }
  assert.deepEqual(await pharos.monitors.setLabels(monitorId, { labels }), { labels })
  assert.deepEqual(await pharos.monitors.getLabels(monitorId), { labels })
  assert.deepEqual(
    (await pharos.labels.list().toArray()).map(({ label }) => label),
    ['env', 'team'],
  )
  const until = new Date(Date.now() + 3_600_000).toISOString()
  assert.equal((await pharos.monitors.mute(monitorId, { until })).until, until)
  assert.equal((await pharos.monitors.getMute(monitorId)).until, until)
  assert.equal((await pharos.monitors.listMuted().toArray()).length, 1)
  assert.equal((await pharos.monitors.unmute(monitorId)).until, null)
  const bulk = await pharos.monitors.bulkChange({ selector: 'team=payments', action: 'CHECK' })
  assert.deepEqual([bulk.data[0]?.monitorId, bulk.changed], [monitorId, 1])
  assert.equal((await pharos.monitors.bulkUpdate({ monitorIds: [monitorId], intervalSeconds: 600 })).changed, 1)
  assert.deepEqual(await pharos.labels.listValues('team').toArray(), [{ value: 'payments', monitors: 1 }])
}

/** With monitors of their own: each option fits some types. */
async function useOptions({ monitors }: Pharos): Promise<void> {
  const [web, port, job] = await Promise.all([
    monitors.create({ name: 'Web', type: 'HTTP', url: 'http://127.0.0.1:9/' }),
    monitors.create({ name: 'Port', type: 'PORT', host: '127.0.0.1', port: 9 }),
    monitors.create({ name: 'Job', type: 'CRON' }),
  ])
  assert.deepEqual(await monitors.setAssertions(web.id, { assertions: [] }), { assertions: [] })
  assert.deepEqual(await monitors.getAssertions(web.id), { assertions: [] })
  assert.deepEqual(await monitors.removeAssertions(web.id), { assertions: [] })
  assert.deepEqual(await monitors.setRequest(web.id, { maxRedirects: 2 }), { maxRedirects: 2 })
  assert.deepEqual(await monitors.getRequest(web.id), { maxRedirects: 2 })
  assert.deepEqual(await monitors.removeRequest(web.id), {})
  assert.equal((await monitors.setDialogue(port.id, { steps: [{ expect: '220' }] })).transport, 'TCP')
  assert.equal((await monitors.getDialogue(port.id)).steps?.[0]?.expect, '220')
  assert.equal((await monitors.removeDialogue(port.id)).transport, null)
  assert.equal((await monitors.setSchedule(job.id, { cron: '@daily' })).nextRuns.length, 5)
  assert.equal((await monitors.getSchedule(job.id)).timezone, 'UTC')
  assert.equal((await monitors.removeSchedule(job.id)).cron, null)
  assert.equal((await monitors.setLegacyAddress(job.id, { tool: 'KUMA', token: 'old-push-token' })).tool, 'KUMA')
  assert.equal((await monitors.getLegacyAddress(job.id)).tool, 'KUMA')
  assert.equal((await monitors.removeLegacyAddress(job.id)).tool, null)
  assert.equal((await monitors.setConfirmation(web.id, { failureRetries: 1 })).recoverySuccesses, 1)
  assert.equal((await monitors.getConfirmation(web.id)).failureRetries, 1)
  assert.equal((await monitors.removeConfirmation(web.id)).recoverySuccesses, 1)
  assert.deepEqual(await monitors.setNotes(web.id, { text: 'Call Ada' }), { text: 'Call Ada' })
  assert.deepEqual(await monitors.getNotes(web.id), { text: 'Call Ada' })
  assert.deepEqual(await monitors.removeNotes(web.id), {})
  for (const { id } of [web, port, job]) await monitors.delete(id)
}

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
  await useLabels(pharos, id)
  const [incident] = await pharos.incidents.list({ status: 'ONGOING' }).toArray()
  assert.equal(incident?.monitor.id, id)
  assert.equal((await pharos.incidents.acknowledge(incident.id)).acknowledged, true)
  assert.equal((await pharos.incidents.acknowledgements()).data[0]?.incidentId, incident.id)
  assert.equal((await pharos.incidents.get(incident.id)).timeline.length > 0, true)
  const note = await pharos.incidents.addNote(incident.id, { body: 'Looking' })
  assert.equal((await pharos.incidents.updateNote(incident.id, note.id, { body: 'Found' })).body, 'Found')
  assert.equal((await pharos.incidents.notes(incident.id)).data[0]?.author.type, 'API_KEY')
  assert.equal((await pharos.incidents.deleteNote(incident.id, note.id)).data.id, note.id)
  assert.deepEqual((await pharos.incidents.alerts(incident.id)).data, [])
  assert.ok((await pharos.incidents.evidence(incident.id)).summary.length <= 3)
  assert.deepEqual((await pharos.incidents.published(incident.id)).data, [])
  return id
}

async function useChecksAndUptime(pharos: Pharos, monitorId: string): Promise<void> {
  assert.equal((await pharos.monitors.uptime(monitorId, { span: '7d' })).data[0]?.span, '7d')
  assert.equal((await pharos.monitors.responseTimes(monitorId)).stepSeconds, 3600)
  assert.deepEqual(await pharos.monitors.heartbeats(monitorId).toArray(), [])
  await assert.rejects(pharos.monitors.rotateHeartbeatToken(monitorId), { code: 'conflict' })
  assert.equal((await pharos.monitors.checks(monitorId, { state: 'DOWN' }).page()).data[0]?.causeCode, 'CONNECT')
  const port = await closedPort()
  const tried = await pharos.monitors.try({ name: 'Other', type: 'PORT', host: '127.0.0.1', port })
  assert.equal(tried.outcome, 'FAILURE')
  assert.equal((await pharos.usage.get()).monitors.used, 1)
  assert.equal((await pharos.me.get()).key?.access, 'FULL')
  assert.match(await pharos.metrics.monitors(), /^pharos_monitor_up\{id="mon_/m)
  assert.equal((await pharos.webhookEvents.list().page()).pagination.total, 22)
  assert.equal((await pharos.auditLog.list({ limit: 1 }).page()).data[0]?.actor.type, 'API_KEY')
}

async function usePages(pharos: Pharos, monitorId: string): Promise<string> {
  const sections = [{ name: 'All', monitors: [{ monitorId }] }]
  const { id } = await pharos.statusPages.create({ name: 'Status', sections })
  assert.equal((await pharos.statusPages.update(id, { theme: 'DARK' })).theme, 'DARK')
  assert.equal((await pharos.statusPages.get(id)).sections[0]?.monitors[0]?.monitorId, monitorId)
  const selectors = { sections: [{ name: 'All', selector: 'team=payments' }] }
  assert.deepEqual(await pharos.statusPages.setSelectors(id, selectors), selectors)
  assert.deepEqual(await pharos.statusPages.getSelectors(id), selectors)
  const image = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
  assert.match((await pharos.statusPages.setLogo(id, { image })).logoUrl ?? '', /\.png$/)
  assert.equal((await pharos.statusPages.list({ published: true }).page()).pagination.total, 1)
  assert.equal((await pharos.statusPages.domain(id)).domain, null)
  await assert.rejects(pharos.statusPages.checkDomain(id), { code: 'conflict' })
  assert.deepEqual(await pharos.statusPages.subscribers(id).toArray(), [])
  await assert.rejects(pharos.statusPages.deleteSubscriber(id, 'sub_unknown'), { code: 'not_found' })
  return id
}

async function useWindows(pharos: Pharos, monitorId: string): Promise<void> {
  const times = { startsAt: '2999-01-01T00:00:00Z', endsAt: '2999-01-01T01:00:00Z' }
  const { id } = await pharos.maintenanceWindows.create({ name: 'Upgrade', ...times, monitorIds: [monitorId] })
  assert.equal((await pharos.maintenanceWindows.update(id, { name: 'Later' })).name, 'Later')
  assert.equal((await pharos.maintenanceWindows.get(id)).status, 'SCHEDULED')
  assert.equal((await pharos.maintenanceWindows.list({ monitorId }).toArray())[0]?.id, id)
  const selector = { selector: 'team=payments' }
  assert.deepEqual(await pharos.maintenanceWindows.setSelector(id, selector), selector)
  assert.deepEqual(await pharos.maintenanceWindows.getSelector(id), selector)
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

async function useContacts(pharos: Pharos, monitorId: string): Promise<void> {
  const { contacts } = pharos
  const settings = { url: 'https://hooks.example/alerts' }
  const { id } = await contacts.create({ name: 'Hook', channel: 'WEBHOOK', settings })
  assert.equal((await contacts.update(id, { name: 'Chat' })).name, 'Chat')
  assert.deepEqual((await contacts.get(id)).settings, { url: 'set' })
  assert.equal((await contacts.list().toArray())[0]?.id, id)
  assert.equal((await contacts.disable(id)).enabled, false)
  assert.equal((await contacts.enable(id)).enabled, true)
  assert.equal((await contacts.test(id)).sent, false)
  await assert.rejects(contacts.resendConfirmation(id), { code: 'conflict' })
  assert.equal((await contacts.channels()).data.length, 11)
  assert.equal((await contacts.detach(monitorId, id)).data.id, id)
  assert.equal((await contacts.attach(monitorId, id)).attached, true)
  assert.equal((await contacts.listForMonitor(monitorId, { attached: true }).toArray())[0]?.contactId, id)
  assert.equal((await contacts.delete(id)).data.id, id)
}

async function useInsight(pharos: Pharos, monitorId: string): Promise<void> {
  assert.equal((await pharos.insight.overview()).counts.total, 1)
  assert.equal((await pharos.insight.wallBoard()).data[0]?.id, monitorId)
  assert.equal((await pharos.insight.alertCoverage({ monitorId })).uncovered, 1)
  assert.equal((await pharos.insight.uptimeReport({ month: '2026-10' })).month, '2026-10')
  assert.equal((await pharos.monitors.monitorList({ q: 'Store' }).toArray())[0]?.id, monitorId)
  assert.equal((await pharos.monitors.details(monitorId)).certificate, null)
  assert.ok(Array.isArray((await pharos.monitors.evidence(monitorId)).volatile))
}

async function useWebhooks(pharos: Pharos, fail: (deliveryId: string) => Promise<void>): Promise<void> {
  const { webhookEndpoints, webhookDeliveries } = pharos
  const { id, secret } = await webhookEndpoints.create({ url: 'https://hooks.example/pharos' })
  assert.notEqual((await webhookEndpoints.rotateSecret(id)).secret, secret)
  assert.deepEqual(await webhookEndpoints.listFailing().toArray(), [])
  assert.equal((await webhookEndpoints.update(id, { description: 'Chat' })).description, 'Chat')
  assert.equal((await webhookEndpoints.get(id)).description, 'Chat')
  assert.equal((await webhookEndpoints.list({ enabled: true }).toArray())[0]?.id, id)
  const delivery = await webhookEndpoints.test(id)
  await fail(delivery.id)
  assert.equal((await webhookDeliveries.list({ endpointId: id }).toArray())[0]?.status, 'FAILED')
  assert.equal((await webhookEndpoints.retryFailed(id, { since: '2026-01-01T00:00Z' })).retried, 1)
  await fail(delivery.id)
  assert.equal((await webhookDeliveries.retry(delivery.id)).status, 'PENDING')
  assert.equal((await webhookDeliveries.getRequest(delivery.id)).url, 'https://hooks.example/pharos')
  assert.equal((await webhookDeliveries.get(delivery.id)).payload.type, 'webhook.test')
  assert.equal((await webhookEndpoints.delete(id)).data.id, id)
}
