import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/server/operations/table.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { makeOneOfEach, oneOfEachEnv, SECTION } from '../../support/one-of-each.ts'
import { startHttpTarget } from '../../support/targets.ts'

/** Imports begin with files, not JSON: test/importers/stored-imports. */
const extensions = operations.filter(({ extension, path }) => extension === true && !path.startsWith('/imports'))
const reads = extensions.filter(({ method }) => method === 'GET')
/** Parts are deleted before what they belong to. */
const writes = [
  ...extensions.filter(({ method }) => method !== 'GET' && method !== 'DELETE'),
  ...extensions.filter(({ method }) => method === 'DELETE').toSorted((a, b) => b.path.length - a.path.length),
]

/** The bodies of operations that take one. */
const bodies: Readonly<Record<string, (given: { monitorId: string; url: string }) => object>> = {
  rotateHeartbeatToken: () => ({}),
  tryMonitor: ({ url }) => ({ name: 'Shop', type: 'HTTP', url }),
  muteMonitor: () => ({ until: new Date(Date.now() + 3_600_000).toISOString() }),
  setMonitorAssertions: () => ({ assertions: [] }),
  setMonitorRequest: () => ({}),
  setMonitorDialogue: () => ({ steps: [{ expect: '220' }] }),
  setMonitorSchedule: () => ({ cron: '0 3 * * *' }),
  setMonitorConfirmation: () => ({ failureRetries: 1 }),
  setMonitorNotes: () => ({ text: 'Call Ada' }),
  setMonitorLegacyAddress: () => ({ tool: 'KUMA', token: 'd0w7Kx4pQz' }),
  setMonitorLabels: () => ({ labels: { team: 'pay' } }),
  changeMonitors: ({ monitorId }) => ({ monitorIds: [monitorId], action: 'PAUSE' }),
  updateMonitors: () => ({ selector: 'team=pay', intervalSeconds: 600 }),
  setMaintenanceWindowSelector: () => ({ selector: 'team=pay' }),
  setStatusPageLogo: () => ({ image: 'R0lGODlhAQABAAAAACw=' }),
  setStatusPageSelectors: () => ({ sections: [{ name: SECTION, selector: 'team=pay' }] }),
  createContact: ({ url }) => ({ name: 'Second', channel: 'WEBHOOK', settings: { url } }),
  updateContact: () => ({ name: 'Renamed' }),
  createIncidentNote: () => ({ body: 'A disk is full' }),
  updateIncidentNote: () => ({ body: 'Two disks are full' }),
  planConfiguration: () => ({ document: { version: 1 } }),
  importHistory: () => ({ source: 'import-kuma', monitors: [] }),
  finishImport: () => ({ source: 'import-kuma' }),
  createShadowRun: () => ({ tool: 'KUMA', url: 'http://127.0.0.1:9/metrics', key: 'uk1_key' }),
  finishShadowRun: () => ({ enableContacts: true }),
  retryFailedDeliveries: () => ({ since: '2026-01-01T00:00Z' }),
}

/** Every client of this suite checks headers, status and body of each answer against the document. */
forEachEngine('every extension of the API', (engine) => {
  const api = useApi(engine, { env: oneOfEachEnv })

  const start = async (url: string) => {
    const tenant = await api.tenant()
    const ids = await makeOneOfEach(api.server, tenant.client, tenant.orgId, url)
    const pathOf = (path: string, more: Readonly<Record<string, string>> = {}) =>
      path.replace(/:(\w+)/g, (_, name: string) => ({ ...ids, ...more })[name] ?? assert.fail(`no ${name}`))
    return { ...tenant, ids, pathOf }
  }

  test('that reads answers GET and HEAD as the document says, also to a read-only key', async () => {
    const { reader, pathOf } = await start('http://127.0.0.1:9/')
    const client = await reader()
    assert.ok(reads.length > 0)
    for (const { path } of reads) {
      const got = await client.get(pathOf(path))
      const head = await client.send('HEAD', pathOf(path))
      assert.deepEqual([got.status, head.status], [200, 200], path)
      assert.equal(head.headers.get('content-type'), got.headers.get('content-type'), path)
    }
  })

  test('that writes succeeds as the document says, and is replayed with the same Idempotency-Key', async () => {
    await using target = await startHttpTarget()
    const { client, ids, pathOf } = await start(target.url)
    const settings = { address: 'stranger@example.com' }
    const { body: mail } = await client.post('/contacts', { name: 'Mail', channel: 'EMAIL', settings })
    const web = await createMonitor(client)
    const port = await createMonitor(client, smallest('PORT'))
    /** The monitor that the others use is a CRON monitor. */
    const typed: Readonly<Record<string, string>> = {
      setMonitorAssertions: web.id,
      setMonitorRequest: web.id,
      setMonitorDialogue: port.id,
    }
    let planId = ''
    assert.ok(writes.length > 0)
    for (const { id, method, path, body, answer } of writes) {
      const isApply = id === 'applyConfiguration'
      assert.ok(body === undefined || bodies[id] !== undefined || isApply, `${id} takes a body: add one to this test`)
      const sent = isApply ? { planId } : bodies[id]?.({ monitorId: ids.monitorId ?? '', url: target.url })
      // Only an address that nobody has confirmed gets another e-mail.
      const contact = id === 'resendContactConfirmation' ? { contactId: mail.id } : {}
      const address = pathOf(path, { ...contact, ...(typed[id] && { monitorId: typed[id] }) })
      const first = await client.send(method, address, sent, { 'idempotency-key': id })
      assert.equal(first.status, answer.status, `${id} ${JSON.stringify(first.body)}`)
      planId = first.body.planId ?? planId
      const second = await client.send(method, address, sent, { 'idempotency-key': id })
      assert.deepEqual([second.status, second.body], [first.status, first.body], id)
      assert.equal(second.headers.get('idempotency-replayed'), 'true', id)
      // Unknown fields are refused by name; a body where none is expected is one.
      const refused = await client.send(method, address, { ...sent, colour: 'red' })
      assert.equal(refused.body.error?.details?.[0].path, 'colour', id)
    }
  })
})
