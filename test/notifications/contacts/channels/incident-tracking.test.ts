import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testMessage } from '../../../../src/notifications/contacts/message.ts'
import { words } from '../../../support/reasons.ts'
import {
  AT,
  alert,
  closePost,
  expectSent,
  FROM,
  hostileNames,
  hostileNotes,
  messageOf,
  READER,
  send,
  storm,
} from '../send.ts'
import { expectFields, expectJson, expectText, type Received, type Reply, startService } from '../service.ts'

after(closePost)

const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu'.slice(0, 32)

/** The documented rules of PagerDuty's Events API v2. */
function pagerDuty(request: Received): Reply {
  expectJson(request)
  assert.equal(request.path, '/v2/enqueue')
  const { body } = request
  if (body.routing_key !== ROUTING_KEY) {
    const errors = ["Length of 'routing_key' is incorrect (should be 32 characters)"]
    return { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors } }
  }
  expectText(body.dedup_key, 255)
  assert.ok(request.bytes <= 512 * 1024)
  if (body.event_action === 'resolve') expectFields(body, ['routing_key', 'event_action', 'dedup_key'])
  else {
    assert.equal(body.event_action, 'trigger')
    expectFields(body, ['routing_key', 'event_action', 'dedup_key', 'client', 'client_url', 'payload', 'links'])
    expectFields(body.payload, ['summary', 'source', 'severity', 'timestamp', 'custom_details'])
    expectText(body.payload.summary, 1024)
    expectText(body.payload.source, 255)
    assert.ok(['critical', 'error', 'warning', 'info'].includes(body.payload.severity))
    assert.ok(!Number.isNaN(Date.parse(body.payload.timestamp)))
    for (const link of body.links) assert.deepEqual(Object.keys(link), ['href', 'text'])
  }
  return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: body.dedup_key } }
}

/** The documented rules of Opsgenie's Alert API. */
function opsgenie(request: Received): Reply {
  expectJson(request)
  if (request.headers.authorization !== 'GenieKey key-of-an-integration') {
    return { status: 422, body: { message: 'Key format is not valid!', took: 0.001, requestId: '1' } }
  }
  const { body } = request
  if (request.path === '/v2/alerts') {
    expectFields(body, ['message', 'alias', 'description', 'priority', 'source', 'details'])
    expectText(body.message, 130)
    expectText(body.alias, 512)
    expectText(body.description, 15_000)
    expectText(body.source, 100)
    assert.match(body.priority, /^P[1-5]$/)
    assert.ok(JSON.stringify(body.details).length <= 8000)
  } else {
    assert.match(request.path, /^\/v2\/alerts\/[\w-]+\/close\?identifierType=alias$/)
    expectFields(body, ['source', 'note', 'user'])
    expectText(body.note, 25_000)
  }
  return { status: 202, body: { result: 'Request will be processed', took: 0.1, requestId: '1' } }
}

const services = [
  {
    channel: 'PAGERDUTY',
    judge: pagerDuty,
    settings: (url: string) => ({ routingKey: ROUTING_KEY, apiUrl: url }),
    /** Opened and resolved threads, in order. */
    story: ({ body }: Received) => `${body.event_action === 'trigger' ? 'begun' : 'over'} ${body.dedup_key}`,
    titleOf: ({ body }: Received) => body.payload.summary,
    refusal: {
      status: 400,
      body: { status: 'invalid event', message: 'Event object is invalid', errors: ["'payload.summary' is missing"] },
    },
    complaint: "PagerDuty returned HTTP 400: 'payload.summary' is missing",
  },
  {
    channel: 'OPSGENIE',
    judge: opsgenie,
    settings: (url: string) => ({ apiKey: 'key-of-an-integration', apiUrl: `${url}/` }),
    story: ({ path, body }: Received) =>
      path === '/v2/alerts' ? `begun ${body.alias}` : `over ${/alerts\/([^/]+)\/close/.exec(path)?.[1]}`,
    titleOf: ({ body }: Received) => body.message,
    refusal: {
      status: 422,
      body: {
        message: 'Request body is not processable. Please check the errors.',
        errors: { message: 'Message can not be empty.' },
      },
    },
    complaint: 'Opsgenie returned HTTP 422: Message can not be empty.',
  },
] as const

for (const { channel, judge, settings, story, titleOf, refusal, complaint } of services) {
  test(`${channel}: what begins together is one, known by its notice`, async () => {
    await using service = await startService(judge)
    expectSent(await send(channel, settings(service.url), messageOf([alert(), alert({ subject: 'Search' })])))
    assert.deepEqual(service.received.map(story), ['begun ntc_1'])
    assert.equal(titleOf(service.received[0] as Received), 'Checkout and Search are down')
  })

  test(`${channel}: what is sent again keeps its name, and what joined it has its own`, async () => {
    await using service = await startService(judge)
    const message = messageOf([alert({ messageId: 'ntc_1' }), alert({ messageId: 'ntc_2' })], ['ntc_0'])
    expectSent(await send(channel, settings(service.url), message))
    assert.deepEqual(service.received.map(story), ['begun ntc_1', 'begun ntc_2', 'over ntc_0'])
  })

  test(`${channel}: what has no end is kept apart from what has`, async () => {
    await using service = await startService(judge)
    const expiring = alert({ kind: 'certificate_expiring', incidentId: null, reason: words('7 days left') })
    expectSent(await send(channel, settings(service.url), messageOf([alert(), expiring])))
    assert.deepEqual(service.received.map(story), ['begun ntc_1', 'begun ntc_1-notes'])
  })

  test(`${channel}: an incident that was over before an alert was sent opens nothing`, async () => {
    await using service = await startService(judge)
    const opened = alert({ endedAt: AT + 3000 })
    const resolved = alert({ ...opened, id: 'alr_end', kind: 'resolved', at: AT + 3000 })
    expectSent(await send(channel, settings(service.url), messageOf([opened, resolved])))
    assert.deepEqual(service.received, [])
  })

  test(`${channel}: hostile names and storms stay within its bounds`, async () => {
    await using service = await startService(judge)
    for (const subject of hostileNames)
      expectSent(await send(channel, settings(service.url), messageOf([alert({ subject, notes: hostileNotes })])))
    expectSent(await send(channel, settings(service.url), messageOf(storm())))
    assert.match(JSON.stringify(service.received.at(-1)?.body), /… and \d+ more/)
  })

  test(`${channel}: a test begins something and ends it`, async () => {
    await using service = await startService(judge)
    expectSent(
      await send(channel, settings(service.url), testMessage({ name: 'Ops', channel }, FROM, READER, 'ntc_t', AT)),
    )
    assert.deepEqual(service.received.map(story), ['begun ntc_t', 'over ntc_t'])
  })

  test(`${channel}: sending ends at the first refusal, with the error of the service and its Retry-After`, async () => {
    await using service = await startService(judge)
    service.replies.push(refusal)
    const message = messageOf([alert({ messageId: 'ntc_1' }), alert({ messageId: 'ntc_2' })])
    assert.deepEqual(await send(channel, settings(service.url), message), {
      ok: false,
      error: complaint,
      retryAfterMs: null,
    })
    assert.equal(service.received.length, 1)
    service.replies.push({ status: 429, headers: { 'retry-after': 'Sun, 31 Jan 2027 14:03:11 GMT' }, body: '' })
    const sent = await send(channel, settings(service.url), message)
    assert.equal(sent.ok ? null : sent.retryAfterMs, 60_000)
  })
}
