import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertContacts, contactOf } from '../../../src/notifications/contacts/queries.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { addHook, newAlert, quickTiming } from './alerting.ts'
import { startService } from './service.ts'

forEachEngine('a server', (engine) => {
  const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_METRICS_LISTEN: '127.0.0.1:0' }

  test('with the role `sender` sends alerts and counts the results', async () => {
    await using good = await startService()
    await using bad = await startService(() => ({ status: 500 }))
    await using server = await startTestServer(engine, { env, alertPace: { ...quickTiming, retryDelaysMs: [] } })
    const { database, metricsUrl } = server.running
    const orgId = await server.defaultOrgId()
    for (const { url } of [good, bad]) await addHook(server, url)
    await database.write(() => alertContacts(newAlert(orgId)))
    await eventually(async () => assert.deepEqual([good.received.length, bad.received.length], [1, 1]))
    assert.match(
      good.received[0]?.body.link,
      new RegExp(`^http://localhost:${new URL(server.url).port}/o/${orgId}/incidents/inc_1$`),
    )
    await eventually(async () => {
      const text = await (await fetch(metricsUrl as string)).text()
      assert.match(text, /^pharos_alert_messages_total\{channel="WEBHOOK",outcome="sent"\} 1$/m)
      assert.match(text, /^pharos_alert_messages_total\{channel="WEBHOOK",outcome="failed"\} 1$/m)
      assert.match(text, /^pharos_alerts_given_up_total\{channel="WEBHOOK"\} 1$/m)
      assert.match(text, /^pharos_contacts_failing 1$/m)
    })
  })

  test('without the role `sender` sends no alerts', async () => {
    await using service = await startService()
    await using server = await startTestServer(engine, {
      env: { ...env, PHAROS_ROLES: 'api,checker' },
      alertPace: quickTiming,
    })
    const { database, metricsUrl } = server.running
    const { org_id: orgId } = await addHook(server, service.url)
    await database.write(() => alertContacts(newAlert(orgId)))
    const text = await (await fetch(metricsUrl as string)).text()
    assert.doesNotMatch(text, /pharos_alert_messages_total/, 'no alert sender was started')
    assert.equal(service.received.length, 0)
  })

  test('sends to no private address, unless the operator allows it', async () => {
    await using service = await startService()
    await using server = await startTestServer(engine, { alertPace: quickTiming })
    const { database } = server.running
    const { org_id: orgId, id } = await addHook(server, service.url)
    await database.write(() => alertContacts(newAlert(orgId)))
    await eventually(async () => {
      const { last_error: error } = await database.read(contactOf(orgId, id))
      assert.match(
        error ?? '',
        /^Webhook could not be reached: 127\.0\.0\.1 is a private address, which this installation does not allow$/,
      )
    })
    assert.equal(service.received.length, 0)
  })
})

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
