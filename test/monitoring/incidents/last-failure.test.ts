import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertContact } from '../../../src/notifications/contacts/create.ts'
import { quickTiming, sealer } from '../../notifications/contacts/alerting.ts'
import { startService } from '../../notifications/contacts/service.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { expectError } from '../../support/monitors.ts'
import { type Client, startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'

const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '' }
const AT_FIRST = 'HTTP 503 Service Unavailable (expected 200)'
const NOW = 'HTTP 500 Internal Server Error (expected 200)'

/** A monitor whose incident began with a 503 and that answers with 500 now. */
async function failingMonitor(client: Client, url: string, fail: (status: number) => void) {
  fail(503)
  const settings = { name: 'Shop', type: 'HTTP', url, expectedStatus: [200] }
  const { id } = (await client.post('/monitors', settings)).body
  await client.post(`/monitors/${id}/check`, {})
  return {
    id,
    async failOtherwise() {
      fail(500)
      await client.post(`/monitors/${id}/check`, {})
    },
  }
}

forEachEngine('the reason of an ongoing incident', (engine) => {
  test('is its last failure in lists and on the wall board; the cause stays what opened it', async () => {
    await using target = await startHttpTarget()
    await using server = await startTestServer(engine, { env })
    const client = server.client()
    const shop = await failingMonitor(client, target.url, (status) => {
      target.status = status
    })
    await shop.failOtherwise()
    const [incident] = (await client.get('/incidents')).body.data
    assert.equal(incident.cause, AT_FIRST)
    const found = await client.get(`/incidents/last-failures?incidentIds=inc_unknown,${incident.id}`)
    assert.deepEqual(
      found.body.data.map(({ incidentId, error }: Record<string, string>) => [incidentId, error]),
      [[incident.id, NOW]],
    )
    assert.equal((await client.get('/monitor-list')).body.data[0].cause, NOW)
    assert.equal((await client.get('/wall-board')).body.data[0].reason, NOW)
    target.status = 200
    await client.post(`/monitors/${shop.id}/check`, {})
    assert.equal((await client.get('/monitor-list')).body.data[0].cause, null)
    assert.equal((await client.get('/wall-board')).body.data[0].reason, null)
  })

  test('is given for at most 100 incidents of the own organization', async () => {
    await using target = await startHttpTarget()
    await using server = await startTestServer(engine, { env })
    const client = server.client()
    const ids = Array.from({ length: 101 }, (_, i) => `inc_${i}`).join()
    expectError(await client.get(`/incidents/last-failures?incidentIds=${ids}`), 'validation_error')
    await failingMonitor(client, target.url, (status) => {
      target.status = status
    })
    const [{ id }] = (await client.get('/incidents')).body.data
    const other = server.client((await server.organization('SELF_HOSTED')).key)
    assert.deepEqual((await other.get(`/incidents/last-failures?incidentIds=${id}`)).body.data, [])
  })

  test('is the reason in a message that is sent again', async () => {
    await using target = await startHttpTarget()
    await using service = await startService()
    const timing = { ...quickTiming, retryDelaysMs: [60_000] }
    await using server = await startTestServer(engine, { env, alertPace: timing })
    const client = server.client()
    const contact = { name: 'Phone', channel: 'GOTIFY', settings: { server: service.url, token: 'x' } } as const
    const orgId = await server.defaultOrgId()
    await server.running.database.write(() => insertContact({ orgId, ...contact }, sealer, Date.now()))
    service.replies.push({ status: 500 })
    const shop = await failingMonitor(client, target.url, (status) => {
      target.status = status
    })
    await eventually(async () => assert.equal(service.received.length, 1))
    assert.match(service.received[0]?.body.message, /^HTTP 503/)
    await shop.failOtherwise()
    const blog = { name: 'Blog', type: 'HTTP', url: target.url, expectedStatus: [200] }
    await client.post('/monitors', blog)
    await eventually(async () => assert.equal(service.received.length, 2))
    const text: string = service.received[1]?.body.message
    assert.match(text, /Shop is down: HTTP 500/)
    assert.doesNotMatch(text, /HTTP 503/)
  })
})
