import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { addHook, quickTiming } from './alerting.ts'
import { startService } from './service.ts'

forEachEngine('an outage', (engine) => {
  const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '' }

  test('is sent to the contacts of the monitor with its cause, at its start and its end', async () => {
    await using target = await startHttpTarget()
    await using service = await startService()
    await using server = await startTestServer(engine, { env, alertPace: quickTiming })
    const client = server.client()
    await addHook(server, service.url)

    target.status = 503
    const { body: monitor } = await client.post('/monitors', {
      name: 'Shop',
      type: 'HTTP',
      url: target.url,
      expectedStatus: [200],
    })
    await client.patch(`/monitors/${monitor.id}`, { name: 'Checkout' })
    await eventually(async () => assert.equal(service.received.length, 1))
    const [incident] = (await client.get('/incidents')).body.data
    const [opened] = service.received[0]?.body.alerts ?? []
    assert.partialDeepStrictEqual(opened, {
      kind: 'opened',
      subject: 'Checkout',
      monitorId: monitor.id,
      incidentId: incident.id,
    })
    assert.equal(opened.reason, incident.cause)

    target.status = 200
    await client.post(`/monitors/${monitor.id}/check`, {})
    await eventually(async () => assert.equal(service.received.length, 2))
    const [resolved] = service.received[1]?.body.alerts ?? []
    assert.partialDeepStrictEqual(resolved, { kind: 'resolved', subject: 'Checkout', incidentId: incident.id })
  })

  test('of many monitors at once is one message that lists them all', async () => {
    await using target = await startHttpTarget()
    await using service = await startService()
    // With production timing, except for the group wait, which is set by its variable.
    await using server = await startTestServer(engine, { env: { ...env, PHAROS_ALERT_WAIT: '2' } })
    const client = server.client()
    await addHook(server, service.url)
    target.status = 500
    const names = Array.from({ length: 20 }, (_, i) => `Shop ${i}`)
    const bodies = names.map((name) => ({ name, type: 'HTTP', url: target.url, expectedStatus: [200] }))
    await Promise.all(bodies.map((body) => client.post('/monitors', body)))
    await eventually(async () => assert.equal(service.received.length, 1))
    const subjects = service.received[0]?.body.alerts.map(({ subject }: { subject: string }) => subject)
    assert.deepEqual(subjects.toSorted(), names.toSorted())
  })
})
