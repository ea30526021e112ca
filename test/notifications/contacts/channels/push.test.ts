import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { words } from '../../../support/reasons.ts'
import { AT, alert, closePost, expectSent, hostileNames, hostileNotes, messageOf, send, storm } from '../send.ts'
import { expectFields, expectJson, expectText, type Received, type Reply, startService } from '../service.ts'

after(closePost)

const APP = 'a'.repeat(30)
const USER = 'u'.repeat(30)

/** The documented rules of ntfy for publishing as JSON. */
function ntfy(request: Received): Reply {
  expectJson(request)
  assert.equal(request.path, '/')
  if (request.headers.authorization !== 'Bearer tk_secret') {
    return {
      status: 403,
      body: { code: 40301, http: 403, error: 'forbidden', link: 'https://ntfy.sh/docs/publish/#authentication' },
    }
  }
  expectFields(request.body, ['topic', 'title', 'message', 'priority', 'tags', 'click'])
  assert.match(request.body.topic, /^[-_A-Za-z0-9]{1,64}$/)
  expectText(request.body.title, 1000)
  expectText(request.body.message, 4096)
  assert.ok(Buffer.byteLength(request.body.message) <= 4096, 'longer ones become attachments')
  assert.ok([1, 2, 3, 4, 5].includes(request.body.priority))
  assert.ok(request.body.tags.every((tag: unknown) => typeof tag === 'string'))
  new URL(request.body.click)
  return { status: 200, body: { id: 'x', event: 'message' } }
}

/** The documented rules of Gotify for creating a message. */
function gotify(request: Received): Reply {
  expectJson(request)
  assert.equal(request.path, '/push/message')
  if (request.headers['x-gotify-key'] !== 'AppToken') {
    const errorDescription = 'you need to provide a valid access token or user credentials to access this api'
    return { status: 401, body: { error: 'Unauthorized', errorCode: 401, errorDescription } }
  }
  expectFields(request.body, ['title', 'message', 'priority', 'extras'])
  expectText(request.body.title, 1000)
  expectText(request.body.message, 100_000)
  assert.ok(Number.isInteger(request.body.priority) && request.body.priority >= 0 && request.body.priority <= 10)
  assert.deepEqual(request.body.extras['client::display'], { contentType: 'text/plain' })
  return { status: 200, body: { id: 1 } }
}

/** The documented rules of the Pushover Message API. */
function pushover(request: Received): Reply {
  expectJson(request)
  assert.equal(request.path, '/1/messages.json')
  const { body } = request
  if (body.token !== APP) {
    return {
      status: 400,
      body: { token: 'invalid', errors: ['application token is invalid'], status: 0, request: 'x' },
    }
  }
  expectFields(body, [
    'token',
    'user',
    'device',
    'title',
    'message',
    'url',
    'url_title',
    'priority',
    'retry',
    'expire',
    'timestamp',
  ])
  expectText(body.title, 250)
  expectText(body.message, 1024)
  expectText(body.url, 512)
  expectText(body.url_title, 100)
  assert.ok([-2, -1, 0, 1, 2].includes(body.priority))
  if (body.priority === 2) assert.ok(body.retry >= 30 && body.expire <= 10_800)
  assert.ok(Number.isInteger(body.timestamp) && body.timestamp < 1e11, 'seconds')
  return { status: 200, body: { status: 1, request: 'x' } }
}

const services = [
  {
    channel: 'NTFY',
    judge: ntfy,
    settings: (url: string) => ({ server: url, topic: 'ops-alerts', token: 'tk_secret' }),
    wrong: { token: 'tk_wrong' },
    complaint: 'ntfy returned HTTP 403: forbidden',
    priorities: { outage: 5, recovery: 3 },
  },
  {
    channel: 'GOTIFY',
    judge: gotify,
    settings: (url: string) => ({ server: `${url}/push/`, token: 'AppToken' }),
    wrong: { token: 'Other' },
    complaint:
      'Gotify returned HTTP 401: you need to provide a valid access token or user credentials to access this api',
    priorities: { outage: 8, recovery: 4 },
  },
  {
    channel: 'PUSHOVER',
    judge: pushover,
    settings: (url: string) => ({ apiUrl: url, appToken: APP, userKey: USER }),
    wrong: { appToken: 'b'.repeat(30) },
    complaint: 'Pushover returned HTTP 400: application token is invalid',
    priorities: { outage: 1, recovery: 0 },
  },
] as const

for (const { channel, judge, settings, wrong, complaint, priorities } of services) {
  test(`${channel}: an outage has a higher priority than its end`, async () => {
    await using service = await startService(judge)
    expectSent(await send(channel, settings(service.url), messageOf([alert()])))
    const resolved = alert({ kind: 'resolved', at: AT + 125_000, beganAt: AT, reason: null })
    expectSent(await send(channel, settings(service.url), messageOf([resolved])))
    const [outage, recovery] = service.received.map(({ body }) => body)
    assert.equal(outage.title, 'Checkout is down')
    assert.match(outage.message, /^HTTP 503 Service Unavailable \(expected 2xx or 3xx\)\nhttps:\/\/shop/)
    assert.equal(recovery.title, 'Checkout is up again after 2 min')
    assert.deepEqual({ outage: outage.priority, recovery: recovery.priority }, priorities)
    assert.match(JSON.stringify(outage), /https:\/\/pharos\.example\.com\/o\/org_1\/incidents\/inc_/)
  })

  test(`${channel}: hostile names and storms stay within its bounds`, async () => {
    await using service = await startService(judge)
    for (const subject of hostileNames) {
      expectSent(await send(channel, settings(service.url), messageOf([alert({ subject, reason: words(subject) })])))
      const lines = service.received.at(-1)?.body.message.split('\n')
      assert.equal(lines.length, 3, 'the name adds no line')
      assert.doesNotMatch(lines.join(''), /[\r\u2028\u202e]/)
    }
    expectSent(await send(channel, settings(service.url), messageOf([alert({ notes: hostileNotes })])))
    expectSent(await send(channel, settings(service.url), messageOf(storm())))
    assert.match(service.received.at(-1)?.body.message, /\n… and \d+ more(\n|$)/)
  })

  test(`${channel}: a refusal is reported in the service's own words, and Retry-After is respected`, async () => {
    await using service = await startService(judge)
    const refused = await send(channel, { ...settings(service.url), ...wrong }, messageOf([alert()]))
    assert.deepEqual(refused, { ok: false, error: complaint, retryAfterMs: null })
    service.replies.push({ status: 429, headers: { 'retry-after': '7' }, body: '' })
    const later = await send(channel, settings(service.url), messageOf([alert()]))
    assert.equal(later.ok ? null : later.retryAfterMs, 7_000)
  })
}

test('PUSHOVER: an emergency has retry and expire', async () => {
  await using service = await startService(pushover)
  const settings = { apiUrl: service.url, appToken: APP, userKey: USER, priority: 2, device: 'phone' }
  expectSent(await send('PUSHOVER', settings, messageOf([alert()])))
  expectSent(await send('PUSHOVER', settings, messageOf([alert({ kind: 'resolved' })])))
  const [outage, recovery] = service.received.map(({ body }) => body)
  assert.deepEqual([outage.priority, outage.retry, outage.expire, outage.device], [2, 60, 3600, 'phone'])
  assert.deepEqual([recovery.priority, recovery.retry], [0, undefined])
})

test('NTFY: without a token no authorization is sent', async () => {
  await using service = await startService()
  expectSent(await send('NTFY', { server: service.url, topic: 'open' }, messageOf([alert()])))
  assert.equal(service.received[0]?.headers.authorization, undefined)
})
