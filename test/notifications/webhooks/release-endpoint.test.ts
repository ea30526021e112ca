import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { emit } from '../../../src/events/emit.ts'
import type { Attempt } from '../../../src/notifications/webhooks/deliver.ts'
import { claimEndpoints } from '../../../src/notifications/webhooks/endpoint-queue.ts'
import { recordAttempts } from '../../../src/notifications/webhooks/record-attempts.ts'
import { type Pause, releaseEndpoint } from '../../../src/notifications/webhooks/release-endpoint.ts'
import { type DbWork, execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { HeldRequests } from './held-requests.ts'
import { newSendingTest, type SendingTest } from './sending.ts'

const NO_PAUSE: Pause = { until: 0, includesManual: false }
const URL = 'http://127.0.0.1:9/'

/** An endpoint without deliveries that the node `me` has claimed, with what can be done to it. */
async function claimed(sending: SendingTest) {
  const { id } = await sending.endpoint(URL, { due_at: 0 })
  const now = sending.clock.now()
  const [claim] = await sending.database.write(() => claimEndpoints({ node: 'me', now, limit: 10 }))
  assert.ok(claim)
  assert.equal(claim.endpointId, id)
  const release = (pause: Pause = NO_PAUSE) => sending.database.write(() => releaseEndpoint(claim, now, pause))
  const emitAt = (at: number) =>
    sending.database.write(() => emit({ orgId: sending.orgId, type: 'monitor.created', data: '{}', now: at }))
  return { id, claim, now, release, emitAt }
}

/** The races between adding a delivery and releasing its endpoint are tested in test/events/race.test.ts. */
forEachEngine('releasing an endpoint', (engine) => {
  test('it is due when its earliest delivery is, or not at all if there is none', async () => {
    await using sending = await newSendingTest(engine)
    const { id, now, release, emitAt } = await claimed(sending)
    await emitAt(now + 5_000)
    await emitAt(now + 9_000)
    assert.equal((await sending.endpointRow(id)).claimed_by, 'me', 'an event does not change a claim')
    assert.equal(await release(), 'released')
    assert.partialDeepStrictEqual(await sending.endpointRow(id), { claimed_by: null, due_at: now + 5_000 })
    assert.equal(await release(), 'lost')
    const other = await claimed(sending)
    assert.equal(await other.release(), 'released')
    assert.partialDeepStrictEqual(await sending.endpointRow(other.id), { claimed_by: null, due_at: null })
  })

  test('it stays claimed while something is due, unless it is paused', async () => {
    await using sending = await newSendingTest(engine)
    const { id, now, release, emitAt } = await claimed(sending)
    await emitAt(now)
    assert.equal(await release(), 'moreDue')
    assert.equal(await release({ until: now + 7_000, includesManual: false }), 'released')
    assert.partialDeepStrictEqual(await sending.endpointRow(id), { claimed_by: null, due_at: now + 7_000 })
  })

  test('manual retries and disabled endpoints wait for no pause but one that is our own fault', async () => {
    await using sending = await newSendingTest(engine)
    const { id, now, release, emitAt } = await claimed(sending)
    await emitAt(now)
    const pause = { until: now + 7_000, includesManual: false }
    await sending.database.write(() => execute(q.updateTable('webhook_deliveries').set({ manual: 1 })))
    assert.equal(await release(pause), 'moreDue')
    await sending.database.write(() => execute(q.updateTable('webhook_deliveries').set({ manual: 0 })))
    await sending.change(id, { enabled: 0 })
    assert.equal(await release(pause), 'moreDue')
    assert.equal(await release({ ...pause, includesManual: true }), 'released')
    assert.equal((await sending.endpointRow(id)).due_at, now + 7_000)
  })

  test('no event is forgotten that is emitted while endpoints are claimed and released', async () => {
    await using sending = await newSendingTest(engine)
    const second = await sending.open()
    const requests = new HeldRequests()
    requests.holdNoMore()
    await sending.endpoint(URL)
    const one = await sending.node({ post: requests.send })
    const two = await sending.node({ post: requests.send, database: second })
    const EVENTS = 150
    for (let n = 0; n < EVENTS; n += 1) {
      await Promise.all([
        sending.emitEvents(1, n % 3 === 0 ? second : sending.database),
        ...(n % 2 === 0 ? [one, two] : [two, one]).map(({ dispatcher }) => dispatcher.claimDue()),
      ])
    }
    // A forgotten event would leave its endpoint without a due time, and not be sent here.
    await Promise.all([one.dispatcher.idle(), two.dispatcher.idle()])
    await one.sendDue()
    assert.equal(requests.all.length, EVENTS)
    assert.equal(new Set(requests.all.map(({ headers }) => headers['webhook-id'])).size, EVENTS)
    await two.stop()
    await second.close()
  })
})

forEachEngine('an attempt', (engine) => {
  test('that another node has recorded after the claim was lost is not recorded twice', async () => {
    await using sending = await newSendingTest(engine)
    const { claim, now: at, emitAt } = await claimed(sending)
    await emitAt(at)
    const [row] = await sending.deliveries()
    assert.ok(row)
    const delivery = {
      ...{ deliveryId: row.id, seq: row.seq, eventId: row.event_id, body: '{}' },
      ...{ attemptCount: 0, manualCount: 0, manual: false, plannedAt: null, createdAt: at, dueAt: at },
    }
    const attempt: Attempt = {
      ...{ startedAt: at, durationMs: 3, succeeded: true, responseStatus: 200, responseBody: 'ok', error: null },
      ...({ reachability: 'answered', gone: false, retryAfterMs: null } as const),
    }
    const step = { do: 'done' } as const
    const record = (attemptId: string) =>
      sending.database.write(() =>
        recordAttempts(
          [{ claim, url: URL, delivery, attempt, attemptId, step, at }],
          () => execute(sql`select 1`) as DbWork<never>,
        ),
      )
    assert.equal(await record('att_1'), 1)
    assert.equal(await record('att_2'), 0)
    assert.deepEqual(
      (await sending.attempts()).map(({ id, number }) => [id, number]),
      [['att_1', 1]],
    )
    assert.partialDeepStrictEqual(await sending.deliveries(), [{ attempt_count: 1, status: 'SUCCEEDED' }])
  })
})
