import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { closedPort } from '../../support/ports.ts'
import { startReceiver, verified } from '../../support/receiver.ts'
import { answered, HeldRequests, localFault } from './held-requests.ts'
import { newSendingTest } from './sending.ts'

const URL = 'http://127.0.0.1:9/hook'

forEachEngine('sending webhooks', (engine) => {
  test('an event is sent signed, as the stored bytes, and its delivery has succeeded', async () => {
    await using sending = await newSendingTest(engine)
    await using receiver = await startReceiver()
    const { id, secret } = await sending.endpoint(receiver.url)
    await using node = await sending.node()
    const now = sending.clock.now()
    await sending.emitEvents()
    await node.sendDue()
    const [webhook] = receiver.messages
    assert.ok(webhook)
    const [event] = await sending.database.read(execute(q.selectFrom('events').selectAll()))
    assert.equal(webhook.raw, event?.body)
    assert.equal(webhook.event.id, event?.id)
    assert.equal(webhook.headers['content-type'], 'application/json')
    assert.match(String(webhook.headers['user-agent']), /^Pharos\/\d/)
    assert.equal(Number(webhook.headers['webhook-timestamp']), Math.floor(now / 1000))
    assert.equal(verified(webhook, secret).type, 'monitor.created')
    assert.partialDeepStrictEqual(await sending.deliveries(), [
      { status: 'SUCCEEDED', attempt_count: 1, next_attempt_at: null, last_response_status: 200 },
    ])
    const [attempt, ...more] = await sending.attempts()
    assert.partialDeepStrictEqual(attempt, {
      number: 1,
      trigger_kind: 'SCHEDULED',
      outcome: 'SUCCEEDED',
      error: null,
      response_status: 200,
      response_body: 'thanks',
    })
    assert.match(attempt?.id ?? '', /^att_/)
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(await sending.endpointRow(id), {
      due_at: null,
      claimed_by: null,
      failing_since: null,
      last_delivery_at: now,
    })
  })
})

forEachEngine('the course of sending', (engine) => {
  test('an endpoint gets four requests at once, the oldest event first', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    await sending.endpoint(URL)
    await sending.emitEvents(150)
    await using node = await sending.node({ post: requests.send })
    await requests.made(4)
    for (let n = 0; n < 12; n += 1) {
      requests.all[n]?.finish()
      await requests.made(n + 5)
      assert.equal(requests.open.size, 4)
    }
    requests.holdNoMore()
    await node.sendDue()
    assert.deepEqual(
      requests.all.map(({ n }) => n),
      Array.from({ length: 150 }, (_, n) => n),
    )
    assert.equal(requests.mostOpen, 4)
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 150 })
  })

  test('a local fault is not counted as an attempt and is followed by a pause', async () => {
    await using sending = await newSendingTest(engine)
    await sending.endpoint(URL)
    const results = [localFault, localFault, localFault, answered(200)]
    await using node = await sending.node({ schedule: [0], post: async () => results.shift() ?? localFault })
    await sending.emitEvents()
    for (let faults = 1; faults <= 3; faults += 1) {
      await node.sendDue()
      assert.equal(node.faults(), faults)
      assert.deepEqual(await sending.statuses(), { PENDING: 1 })
      sending.clock.advance(1_000)
    }
    await node.sendDue()
    assert.equal(node.faults(), 3)
    assert.partialDeepStrictEqual(await sending.deliveries(), [{ status: 'SUCCEEDED', attempt_count: 1 }])
  })

  test('where the schedule begins with a delay, the first attempt waits for it', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    requests.holdNoMore()
    await sending.endpoint(URL)
    await using node = await sending.node({ schedule: [0.7, 1], post: requests.send })
    await sending.emitEvents(3)
    await node.sendDue()
    sending.clock.advance(699)
    await node.sendDue()
    assert.equal(requests.all.length, 0)
    sending.clock.advance(1)
    await node.sendDue()
    assert.equal(requests.all.length, 3)
  })
})

forEachEngine('webhooks that fail', (engine) => {
  test('are retried on the schedule with the same id and bytes, and given up at its end', async () => {
    await using sending = await newSendingTest(engine)
    await using receiver = await startReceiver((response) => response.writeHead(500).end('no\0pe'))
    const { id } = await sending.endpoint(receiver.url)
    await using node = await sending.node({ schedule: [0, 5, 300] })
    await sending.emitEvents()
    const firstAt = sending.clock.now()
    await node.sendDue()
    for (const [retries, delayMs] of [5_000, 300_000].entries()) {
      sending.clock.advance(delayMs - 1)
      await node.sendDue()
      assert.equal(receiver.messages.length, retries + 1)
      sending.clock.advance(1)
      await node.sendDue()
      assert.equal(receiver.messages.length, retries + 2)
    }
    sending.clock.advance(DAY_MS)
    await node.sendDue()
    assert.equal(receiver.messages.length, 3)
    assert.equal(new Set(receiver.messages.map((webhook) => `${webhook.event.id} ${webhook.raw}`)).size, 1)
    assert.partialDeepStrictEqual(await sending.deliveries(), [
      { status: 'FAILED', attempt_count: 3, next_attempt_at: null, last_response_status: 500 },
    ])
    assert.equal((await sending.deliveries())[0]?.completed_at, firstAt + 305_000)
    assert.deepEqual(
      (await sending.attempts()).map(({ number, outcome, error, response_body: body }) => [
        ...[number, outcome, error, body],
      ]),
      [1, 2, 3].map((number) => [number, 'FAILED', 'STATUS', 'no\ufffdpe']),
    )
    assert.equal((await sending.endpointRow(id)).failing_since, firstAt)
  })

  test('record why: redirect, status, connection, timeout', async () => {
    await using sending = await newSendingTest(engine)
    await using elsewhere = await startReceiver()
    await using redirects = await startReceiver((response) =>
      response.writeHead(308, { location: elsewhere.url }).end(),
    )
    await using refuses = await startReceiver((response) => response.writeHead(404).end())
    await using hangs = await startReceiver(() => {})
    const urls = [redirects.url, refuses.url, `http://127.0.0.1:${await closedPort()}/`, hangs.url]
    const ids: string[] = []
    for (const url of urls) ids.push((await sending.endpoint(url)).id)
    await using node = await sending.node({ schedule: [0], timeoutMs: 1_500 })
    await sending.emitEvents()
    await node.sendDue()
    assert.deepEqual(await sending.statuses(), { FAILED: 4 })
    const [deliveries, attempts] = [await sending.deliveries(), await sending.attempts()]
    const errors = ids.map((id) => {
      const delivery = deliveries.find((each) => each.endpoint_id === id)
      const attempt = attempts.find((each) => each.delivery_id === delivery?.id)
      return [attempt?.error, attempt?.response_status]
    })
    assert.deepEqual(errors, [
      ['REDIRECT', 308],
      ['STATUS', 404],
      ['CONNECT', null],
      ['TIMEOUT', null],
    ])
    assert.equal(elsewhere.messages.length, 0)
    assert.equal(redirects.messages.length, 1)
  })

  test('are not sent where the address policy has become stricter, by address or by scheme', async () => {
    await using sending = await newSendingTest(engine)
    await using receiver = await startReceiver()
    await sending.endpoint(receiver.url)
    await sending.endpoint(receiver.url.replace('http:', 'https:'))
    await using node = await sending.node({ schedule: [0], policy: 'deny' })
    await sending.emitEvents()
    await node.sendDue()
    assert.deepEqual(await sending.statuses(), { FAILED: 2 })
    assert.deepEqual(
      (await sending.attempts()).map(({ error }) => error),
      ['BLOCKED_ADDRESS', 'BLOCKED_ADDRESS'],
    )
    assert.equal(receiver.messages.length, 0)
  })
})

forEachEngine('what the receiver asks for', (engine) => {
  test('Retry-After of 429 and 503 is honoured, and of no other status', async () => {
    await using sending = await newSendingTest(engine)
    const statuses = [429, 503, 500]
    const ids: string[] = []
    for (const status of statuses) ids.push((await sending.endpoint(`http://127.0.0.1:9/${status}`)).id)
    await using node = await sending.node({
      schedule: [0, 5, 300],
      post: async ({ url }) => ({ ...answered(Number(url.slice(-3))), retryAfter: '100' }),
    })
    await sending.emitEvents()
    await node.sendDue()
    const deliveries = await sending.deliveries()
    const waitsMs = ids.map((id) => {
      const delivery = deliveries.find((each) => each.endpoint_id === id)
      return (delivery?.next_attempt_at ?? 0) - sending.clock.now()
    })
    assert.deepEqual(waitsMs, [100_000, 100_000, 5_000])
  })

  test('410 disables the endpoint, and its pending deliveries fail', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(700)
    await using node = await sending.node({ post: requests.send })
    await requests.made(4)
    requests.finishAll(answered(410))
    await node.sendDue()
    assert.equal(requests.all.length, 4)
    assert.partialDeepStrictEqual(await sending.endpointRow(id), {
      enabled: 0,
      disabled_reason: 'GONE',
      due_at: null,
      claimed_by: null,
    })
    const deliveries = await sending.deliveries()
    assert.deepEqual(await sending.statuses(), { FAILED: 700 })
    assert.ok(deliveries.every((each) => each.completed_at !== null && each.next_attempt_at === null))
    assert.equal(deliveries.filter((each) => each.attempt_count === 0).length, 696)
    assert.deepEqual(
      node.disabled.map(({ endpointId, url, reason }) => [endpointId, url, reason]),
      [[id, URL, 'GONE']],
    )
  })

  test('five days of failures alone disable an endpoint, and a success starts the count again', async () => {
    await using sending = await newSendingTest(engine)
    const { clock } = sending
    const { id } = await sending.endpoint(URL)
    let status = 500
    await using node = await sending.node({ schedule: [0], post: async () => answered(status) })
    const sendOne = async (answeredWith: number): Promise<void> => {
      status = answeredWith
      await sending.emitEvents()
      await node.sendDue()
    }
    await sendOne(500)
    clock.advance(4 * DAY_MS)
    await sendOne(500)
    await sendOne(200)
    assert.equal((await sending.endpointRow(id)).failing_since, null)
    clock.advance(2 * DAY_MS)
    await sendOne(500)
    const since = clock.now()
    clock.advance(5 * DAY_MS - 1)
    await sendOne(500)
    assert.partialDeepStrictEqual(await sending.endpointRow(id), { enabled: 1, failing_since: since })
    clock.advance(1)
    await sendOne(500)
    assert.partialDeepStrictEqual(await sending.endpointRow(id), { enabled: 0, disabled_reason: 'FAILING' })
    assert.deepEqual(
      node.disabled.map(({ reason }) => reason),
      ['FAILING'],
    )
  })
})
