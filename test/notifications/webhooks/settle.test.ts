import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../src/lib/log.ts'
import { makeManualAttemptsDue } from '../../../src/notifications/webhooks/retry.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { HeldRequests } from './held-requests.ts'
import { newSendingTest } from './sending.ts'

const URL = 'http://127.0.0.1:9/hook'

forEachEngine('attempts', (engine) => {
  test('that the database refuses for a moment are written later, and no webhook is sent twice', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    await sending.endpoint(URL)
    await sending.emitEvents(4)
    let refusals = 0
    const shaky: Database = {
      ...sending.database,
      write(work, mode) {
        if (refusals-- > 0) return Promise.reject(new Error('database is locked'))
        return sending.database.write(work, mode)
      },
    }
    await using node = await sending.node({ post: requests.send, database: shaky })
    await requests.made(4)
    refusals = 2
    requests.holdNoMore()
    await node.sendDue()
    assert.ok(refusals < 0)
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 4 })
    assert.equal(requests.all.length, 4)
  })

  test('that cannot be written block no others: they are postponed, and logged', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    requests.holdNoMore()
    await sending.endpoint(URL)
    await sending.emitEvents(1)
    const [bad] = await sending.deliveries()
    assert.ok(bad)
    // An attempt with the same number is in the way.
    await sending.database.write(() =>
      execute(
        q.insertInto('webhook_attempts').values({
          org_id: bad.org_id,
          delivery_id: bad.id,
          number: 1,
          id: 'att_0',
          trigger_kind: 'SCHEDULED',
          started_at: 0,
          duration_ms: 0,
          outcome: 'FAILED',
          response_status: null,
          response_body: null,
          error: null,
        }),
      ),
    )
    const lines: string[] = []
    const log = createLog('error', { write: (line) => void lines.push(line) })
    await using node = await sending.node({ post: requests.send, log })
    await requests.made(1)
    await sending.emitEvents(3)
    // Writing is retried for a minute.
    await eventually(async () => {
      sending.clock.advance(10_000)
      assert.equal(lines.filter((line) => line.includes('could not be written')).length, 1)
    })
    await node.sendDue()
    assert.deepEqual(await sending.statuses(), { PENDING: 1, SUCCEEDED: 3 })
    const [postponed] = await sending.deliveries()
    assert.equal(postponed?.attempt_count, 0)
    assert.ok((postponed?.next_attempt_at ?? 0) > sending.clock.now())
  })

  test('of a claim that was lost are not recorded; its new holder makes them again', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(3)
    await using node = await sending.node({ post: requests.send })
    await requests.made(3)
    const until = sending.clock.now() + 60_000
    await sending.change(id, { claimed_by: 'another', due_at: until })
    requests.holdNoMore()
    await node.stop()
    assert.deepEqual(await sending.statuses(), { PENDING: 3 })
    assert.partialDeepStrictEqual(await sending.endpointRow(id), { claimed_by: 'another', due_at: until })
    await sending.change(id, { claimed_by: null })
    sending.clock.advance(60_000)
    await using other = await sending.node({ post: requests.send })
    await other.sendDue()
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 3 })
    assert.deepEqual(
      (await sending.attempts()).map(({ number }) => number),
      [1, 1, 1],
    )
  })
})

forEachEngine('an endpoint that is released', (engine) => {
  test('is due when its next delivery is; with a backlog it takes turns with the others', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const backlogged = await sending.endpoint(URL)
    await sending.emitEvents(40)
    sending.clock.advance(5_000)
    const other = await sending.endpoint(`${URL}/other`)
    await sending.emitEvents(1)
    // One place: the endpoint that has been due longest is first, and is due now once it is released.
    await using node = await sending.node({ post: requests.send, capacity: 1 })
    await requests.made(4)
    assert.equal((await sending.endpointRow(other.id)).claimed_by, null)
    sending.clock.advance(1_001)
    requests.finishAll()
    await requests.made(5)
    assert.equal(requests.all[4]?.url, `${URL}/other`)
    assert.equal((await sending.endpointRow(backlogged.id)).due_at, sending.clock.now())
    requests.holdNoMore()
    await node.sendDue()
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 42 })
    assert.equal((await sending.endpointRow(backlogged.id)).due_at, null)
  })
})

/** More than a page of deliveries, so that retries in flight or not written yet fill whole pages. */
const COUNT = 300

forEachEngine('many manual retries', (engine) => {
  test('are each sent once, along with new events', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    requests.holdNoMore()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(COUNT)
    const now = sending.clock.now()
    const failed = { status: 'FAILED', next_attempt_at: null, completed_at: now, attempt_count: 3 } as const
    await sending.database.write(() => execute(q.updateTable('webhook_deliveries').set(failed)))
    const retried = (await sending.deliveries()).map((delivery) => delivery.id)
    await sending.database.write(() => makeManualAttemptsDue(sending.orgId, retried, now))
    await sending.change(id, { due_at: now })
    await using node = await sending.node({ post: requests.send })
    await sending.emitEvents(10)
    await node.sendDue()
    assert.equal(requests.all.length, COUNT + 10)
    assert.equal(new Set(requests.all.map(({ headers }) => headers['webhook-id'])).size, COUNT + 10)
    const deliveries = await sending.deliveries()
    assert.ok(deliveries.every(({ status, manual }) => status === 'SUCCEEDED' && Number(manual) === 0))
    assert.deepEqual(
      [...new Set(deliveries.slice(0, COUNT).map(({ attempt_count: count }) => count))],
      [failed.attempt_count + 1],
    )
    const attempts = await sending.attempts()
    assert.equal(attempts.filter(({ trigger_kind: kind }) => kind === 'MANUAL').length, COUNT)
  })
})
