import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertContact } from '../../../src/notifications/contacts/create.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { quickTiming, sealer } from '../../notifications/contacts/alerting.ts'
import { startService } from '../../notifications/contacts/service.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'

const page = (title: string) =>
  `<html><title>${title}</title><p>Welcome to the shop, where everything is on sale today</p></html>`

forEachEngine('the evidence of a monitor and its incident', (engine) => {
  test('names what changed, in the API and in the alert, and stays as it was at the opening', async () => {
    await using service = await startService(() => ({ status: 200 }))
    await using target = await startHttpTarget()
    const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '' }
    await using server = await startTestServer(engine, { env, alertPace: quickTiming })
    const client = server.client()
    const orgId = await server.defaultOrgId()
    const contact = { name: 'Hook', channel: 'WEBHOOK', settings: { url: service.url } } as const
    await server.running.database.write(() => insertContact({ orgId, ...contact }, sealer, Date.now()))
    target.body = page('Shop')
    const { id } = await createMonitor(client, smallest('HTTP', { url: `${target.url}?token=planted-secret` }))
    const check = async (count = 1) => {
      for (let i = 0; i < count; i += 1) assert.equal((await client.post(`/monitors/${id}/check`, {})).status, 200)
    }
    const evidence = async () => (await client.get(`/monitors/${id}/evidence`)).body
    // Below 20, or the summary names a phase that was slow on a busy machine.
    await check(15)
    const { lastGood, changes, volatile } = await evidence()
    assert.deepEqual(
      [lastGood.title, lastGood.status, lastGood.address, lastGood.finalUrl],
      ['Shop', '200', '127.0.0.1', target.url],
    )
    assert.deepEqual([changes, volatile], [[], []])

    target.body = page('Out of stock')
    await check(2)
    const [change] = (await evidence()).changes
    assert.deepEqual([change.field, change.before, change.after], ['title', 'Shop', 'Out of stock'])

    target.status = 503
    await check()
    const incident = (await client.get(`/incidents?monitorId=${id}`)).body.data[0]
    const ofIncident = async () => (await client.get(`/incidents/${incident.id}/evidence`)).body
    const opened = await ofIncident()
    const summary = ['Page title changed from "Shop" to "Out of stock" just before.']
    assert.deepEqual(opened.summary, summary)
    assert.deepEqual([opened.lastGood.fields.status, opened.firstFailure.fields.status], ['200', '503'])
    assert.equal(opened.firstFailure.causeCode, 'STATUS')
    assert.deepEqual(Object.keys(opened.phases), ['connectMs', 'firstByteMs', 'downloadMs'])
    await eventually(async () => assert.equal(service.received.length, 1))
    assert.deepEqual(service.received[0]?.body.alerts[0].summary, summary)

    target.status = 200
    target.body = page('Sale')
    await check(2)
    assert.deepEqual(await ofIncident(), opened)
    assert.equal((await evidence()).lastGood.title, 'Sale')
    const rows = () => server.running.database.read(execute(q.selectFrom('monitor_evidence').selectAll()))
    assert.doesNotMatch(JSON.stringify(await rows()), /planted/)
    assert.equal((await client.get('/incidents/inc_none/evidence')).status, 404)

    await client.patch(`/monitors/${id}`, { url: `${target.url}other` })
    assert.equal((await rows()).length, 0, 'a new target has nothing to compare with')
    await client.delete(`/monitors/${id}`)
    assert.equal((await client.get(`/monitors/${id}/evidence`)).status, 404)
  })
})
