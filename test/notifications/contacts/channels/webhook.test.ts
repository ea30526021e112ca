import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closedPort } from '../../../support/ports.ts'
import { inEnglish } from '../../../support/reasons.ts'
import { AT, alert, closePost, expectSent, messageOf, send, storm } from '../send.ts'
import { startService } from '../service.ts'

after(closePost)

test('WEBHOOK: the documented shape, with every alert', async () => {
  await using service = await startService(() => ({ status: 204 }))
  const subject = 'Checkout\n<b>"quoted"</b>'
  const sent = alert({ subject, messageId: 'ntc_7' })
  const settings = {
    url: `${service.url}/hook?x=1`,
    token: 'bearer-token',
    headerName: 'X-Secret',
    headerValue: 'a value',
  }
  expectSent(await send('WEBHOOK', settings, messageOf([sent])))
  const [request] = service.received
  assert.deepEqual([request?.method, request?.path], ['POST', '/hook?x=1'])
  assert.equal(request?.headers['content-type'], 'application/json')
  assert.equal(request?.headers.authorization, 'Bearer bearer-token')
  assert.equal(request?.headers['x-secret'], 'a value')
  const { id, monitorId, incidentId, target } = sent
  const reason = sent.reason && inEnglish(sent.reason)
  const [link, at] = [`https://pharos.example.com/o/org_1/incidents/${incidentId}`, new Date(AT).toISOString()]
  assert.deepEqual(request?.body, {
    id: 'ntc_7',
    title: 'Checkout <b>"quoted"</b> is down',
    text: [reason, target, 'Since 2:02:11 PM UTC'].join('\n'),
    severity: 'critical',
    link,
    sentAt: at,
    alerts: [{ id, kind: 'opened', subject, target, reason, monitorId, incidentId, at, link }],
  })
})

test('WEBHOOK: a storm is sent completely', async () => {
  await using service = await startService()
  expectSent(await send('WEBHOOK', { url: service.url }, messageOf(storm(1000))))
  assert.equal(service.received[0]?.body.alerts.length, 1000)
  assert.equal(service.received[0]?.headers.authorization, undefined)
})

test('WEBHOOK: any status but 2xx is a failure with the reason', async () => {
  await using service = await startService(() => ({ status: 500, body: 'out of order' }))
  const sent = await send('WEBHOOK', { url: service.url }, messageOf([alert()]))
  assert.deepEqual(sent, { ok: false, error: 'Webhook returned HTTP 500: out of order', retryAfterMs: null })
})

test('WEBHOOK: a refused connection is a failure with the reason', async () => {
  const port = await closedPort()
  const sent = await send('WEBHOOK', { url: `http://127.0.0.1:${port}/` }, messageOf([alert()]))
  const error = `Webhook could not be reached: Connection refused by 127.0.0.1:${port}`
  assert.deepEqual(sent, { ok: false, error, retryAfterMs: null })
})
