import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'
import { addHook, quickTiming } from './alerting.ts'
import { alert, closePost, expectSent, messageOf, send } from './send.ts'
import { startService } from './service.ts'

after(closePost)

const notes = { runbookUrl: 'https://wiki.example/checkout', text: 'Restart the worker.\n\nSecond level: Ada' }

test('every text channel shows the notes of the monitors below the list, each monitor once', async () => {
  const first = alert({ monitorId: 'mon_shop', notes })
  const message = messageOf([first, alert(), { ...alert({ notes }), monitorId: 'mon_shop', incidentId: 'inc_other' }])
  assert.deepEqual(
    message.notes.map(({ plainText }) => plainText),
    [
      'Runbook for Checkout: https://wiki.example/checkout',
      'Notes on Checkout:',
      'Restart the worker.',
      'Second level: Ada',
    ],
  )
  await using service = await startService(() => ({ status: 200, body: { ok: true, status: 1 } }))
  const key = 'R0123456789abcdefghijklmnopqrstu'
  for (const [channel, settings] of [
    ['SLACK', { webhookUrl: service.url }],
    ['TEAMS', { webhookUrl: service.url }],
    ['GOTIFY', { server: service.url, token: 'x' }],
    ['NTFY', { server: service.url, topic: 'ops' }],
    ['PUSHOVER', { apiUrl: service.url, appToken: key.slice(0, 30), userKey: key.slice(0, 30) }],
    ['TELEGRAM', { apiUrl: service.url, botToken: '1:a', chatId: '1' }],
    ['PAGERDUTY', { apiUrl: service.url, routingKey: key }],
    ['OPSGENIE', { apiUrl: service.url, apiKey: 'x' }],
    ['WEBHOOK', { url: service.url }],
  ] as const) {
    expectSent(await send(channel, settings, messageOf([first])))
    const sent = JSON.stringify(service.received.at(-1)?.body)
    assert.match(sent, /https:\/\/wiki\.example\/checkout/, channel)
    assert.match(sent, /Restart the worker\./, channel)
  }
})

forEachEngine('the notes of a monitor', (engine) => {
  test('are in its alerts as they are when the message is sent', async () => {
    await using service = await startService()
    const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow' }
    await using server = await startTestServer(engine, { env, alertPace: quickTiming })
    const client = server.client()
    await addHook(server, service.url)
    const job = await createMonitor(client, smallest('CRON'))
    assert.equal((await client.send('PUT', `/monitors/${job.id}/notes`, notes)).status, 200)
    await fetch(`${server.url}${new URL(job.heartbeatUrl).pathname}/fail`)
    await eventually(async () => assert.equal(service.received.length, 1))
    assert.deepEqual(service.received[0]?.body.alerts[0].notes, notes)
  })
})
