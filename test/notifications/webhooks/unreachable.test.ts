import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Breakers } from '../../../src/notifications/deliveries/breaker.ts'
import type { HttpResult } from '../../../src/outbound/outgoing-request.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { answered, HeldRequests, unreachable } from './held-requests.ts'
import { newSendingTest, type SendingTest } from './sending.ts'

const URL = 'http://127.0.0.1:9/hook'

/** The pause after so many misses. */
function pauseMsAfter(misses: number): number {
  const breakers = new Breakers()
  for (let i = 0; i < misses; i += 1) breakers.note(URL, 'unreachable', 0)
  return breakers.of(URL).pausedUntil
}

/** Writes what the operation for a manual retry writes. */
async function retryManually({ database, clock }: SendingTest, id: string): Promise<void> {
  const now = clock.now()
  await database.write(function* () {
    const again = { status: 'PENDING', manual: 1, next_attempt_at: now, completed_at: null } as const
    yield* execute(q.updateTable('webhook_deliveries').set(again).where('id', '=', id))
    yield* execute(q.updateTable('webhook_endpoints').set({ due_at: now }).where('claimed_by', 'is', null))
  })
}

/** A receiver that is down until `result` is changed, with the ids of the events sent to it. */
function newReceiver() {
  const receiver = {
    result: unreachable as HttpResult,
    eventIds: [] as string[],
    send: async ({ headers }: { headers: Readonly<Record<string, string>> }) => {
      receiver.eventIds.push(headers['webhook-id'] ?? '')
      return receiver.result
    },
  }
  return receiver
}

forEachEngine('an endpoint that cannot be reached', (engine) => {
  test('is probed with one request at a time; the other deliveries lose no attempt and are sent when it is back', async () => {
    await using sending = await newSendingTest(engine)
    const receiver = newReceiver()
    await sending.endpoint(URL)
    await sending.emitEvents(60)
    await using node = await sending.node({ schedule: [0, 600, 600], post: receiver.send })
    await node.sendDue()
    const first = node.attempts()
    // Four misses open the breaker; three more requests may have been in flight.
    assert.ok(first >= 4 && first <= 7, `${first} attempts`)
    for (let misses = first; misses < first + 3; misses += 1) {
      sending.clock.advance(pauseMsAfter(misses) - 1)
      await node.sendDue()
      assert.equal(node.attempts(), misses, 'nothing is sent during the pause')
      sending.clock.advance(1)
      await node.sendDue()
      assert.equal(node.attempts(), misses + 1)
    }
    receiver.result = answered(200)
    sending.clock.advance(30_000)
    await node.sendDue()
    assert.equal(node.attempts(), 60)
    assert.deepEqual(await sending.statuses(), { PENDING: first + 3, SUCCEEDED: 60 - first - 3 })
    assert.ok((await sending.deliveries()).every((each) => each.attempt_count === 1))
  })

  test('is sent a manual retry before everything else, even during the pause, and that is one attempt', async () => {
    await using sending = await newSendingTest(engine)
    const receiver = newReceiver()
    await sending.endpoint(URL)
    await using node = await sending.node({ schedule: [0], post: receiver.send })
    await sending.emitEvents()
    await node.sendDue()
    const [{ id, event_id: eventId } = { id: '', event_id: '' }] = await sending.deliveries()
    await sending.emitEvents(200)
    await node.sendDue()
    const untouched = async () => (await sending.deliveries()).filter((each) => each.attempt_count === 0).length
    const waiting = await untouched()
    assert.ok(waiting >= 190)

    const attempts = async () =>
      (await sending.attempts())
        .filter((each) => each.delivery_id === id)
        .map((each) => [each.number, each.trigger_kind, each.error])
    await retryManually(sending, id)
    await node.sendDue()
    assert.deepEqual(await attempts(), [
      [1, 'SCHEDULED', 'CONNECT'],
      [2, 'MANUAL', 'CONNECT'],
    ])
    assert.equal((await sending.deliveries())[0]?.status, 'FAILED')
    assert.equal(await untouched(), waiting)

    receiver.result = answered(200)
    receiver.eventIds.length = 0
    await retryManually(sending, id)
    await node.sendDue()
    assert.equal((await sending.deliveries())[0]?.status, 'SUCCEEDED')
    assert.equal(receiver.eventIds[0], eventId)
    assert.equal(receiver.eventIds.length, 1 + waiting, 'an answer closes the breaker')
  })
})

forEachEngine('endpoints that do not answer', (engine) => {
  test('delay no other endpoint: it is sent everything while their requests are still open', async () => {
    await using sending = await newSendingTest(engine)
    const slow = new HeldRequests()
    const fast = new HeldRequests()
    fast.holdNoMore()
    for (let i = 0; i < 8; i += 1) await sending.endpoint(`${URL}/slow`)
    await sending.emitEvents(10)
    await using node = await sending.node({
      capacity: 10,
      post: (request, signal) => (request.url.endsWith('slow') ? slow : fast).send(request, signal),
    })
    await slow.made(8 * 4)
    for (let i = 0; i < 3; i += 1) await sending.endpoint(`${URL}/fast`)
    for (let sent = 1; sent <= 20; sent += 1) {
      await sending.emitEvents()
      node.nudge()
      await fast.made(3 * sent)
    }
    assert.equal(slow.open.size, 8 * 4)
    slow.holdNoMore()
    await node.sendDue()
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 8 * 30 + 3 * 20 })
  })
})
