import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bodyOf } from '../../../src/notifications/contacts/message-body.ts'
import { noMarkup } from '../../../src/notifications/contacts/text.ts'
import type { Email } from '../../../src/outbound/email.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'
import { addHook, quickTiming } from './alerting.ts'
import { alert, closePost, expectSent, messageOf, send } from './send.ts'
import { startService } from './service.ts'

after(closePost)

const notes = { runbookUrl: 'https://wiki.example/checkout', text: 'Restart the worker.\n\nSecond level: Ada' }

const several = {
  runbookUrl: 'https://wiki.example/checkout',
  text: 'Call **PSP 2**, see [wiki](https://w.example).\n\n- one',
}

test('a message about one monitor has its notes without a heading, one about several names the monitor, once', () => {
  const bodyWith = (...alerts: Parameters<typeof messageOf>[0]) => bodyOf(messageOf(alerts), noMarkup).notes?.slice(-4)
  assert.deepEqual(bodyWith(alert({ notes: several })), [
    'Since 2:02:11 PM UTC',
    'Runbook: https://wiki.example/checkout',
    'Call PSP 2, see wiki (https://w.example).',
    '• one',
  ])
  const blog = alert({ subject: 'Blog', notes: several })
  assert.deepEqual(bodyWith(alert({ notes: several }), blog, alert({ subject: 'Shop' })), [
    'Runbook of Checkout and Blog: https://wiki.example/checkout',
    'Notes on Checkout and Blog:',
    'Call PSP 2, see wiki (https://w.example).',
    '• one',
  ])
})

test('an e-mail renders the notes', async () => {
  const mails: Email[] = []
  const mail = async (sent: Email) => {
    mails.push(sent)
    return { ok: true } as const
  }
  expectSent(await send('EMAIL', { address: 'ops@example.com' }, messageOf([alert({ notes: several })]), { mail }))
  const { html = '', text = '' } = mails[0] ?? {}
  assert.match(html, /Call <strong>PSP 2<\/strong>, see <a href="https:\/\/w\.example"/)
  assert.match(html, /<a href="https:\/\/wiki\.example\/checkout"[^>]*>Runbook</)
  assert.doesNotMatch(text, /\*\*/)
})

test('every text channel shows the notes', async () => {
  const first = alert({ monitorId: 'mon_shop', notes })
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
