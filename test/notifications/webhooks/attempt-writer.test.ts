import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { FAILED_RETRY_MS } from '../../../src/storage/queue/process.ts'
import { forEachEngine } from '../../support/engines.ts'
import { HeldRequests } from './held-requests.ts'
import { newSendingTest } from './sending.ts'

const URL = 'http://127.0.0.1:9/hook'
const UNWRITABLE_RETRY_MS = 300_000

forEachEngine('attempts', (engine) => {
  test('that the database refuses for a moment are written later, and no webhook is sent twice', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    requests.holdNoMore()
    await sending.endpoint(URL)
    await sending.emitEvents(20)
    let refusals = 2
    const shaky: Database = {
      ...sending.database,
      write(work, mode) {
        if (mode === 'batched' && refusals-- > 0) return Promise.reject(new Error('database is locked'))
        return sending.database.write(work, mode)
      },
    }
    await using node = await sending.node({ post: requests.send, database: shaky })
    await node.sendDue()
    assert.ok(refusals < 0)
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 20 })
    assert.equal(requests.all.length, 20)
  })

  test('that cannot be written block no others: their delivery is postponed, and logged', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    requests.holdNoMore()
    await sending.endpoint(URL)
    await sending.endpoint(`${URL}/other`)
    await sending.emitEvents(5)
    const [bad] = await sending.deliveries()
    assert.ok(bad)
    // An attempt with the same number is in the way.
    await sending.database.write(() =>
      execute(
        q.insertInto('webhook_attempts').values({
          ...{ org_id: bad.org_id, delivery_id: bad.id, number: 1, id: 'att_0', trigger_kind: 'SCHEDULED' },
          ...{ started_at: 0, duration_ms: 0, outcome: 'FAILED', response_status: null, response_body: null },
          error: null,
        }),
      ),
    )
    const lines: string[] = []
    const log = createLog('error', { write: (line) => void lines.push(line) })
    await using node = await sending.node({ post: requests.send, log })
    await node.sendDue()
    assert.deepEqual(await sending.statuses(), { PENDING: 1, SUCCEEDED: 9 })
    assert.partialDeepStrictEqual((await sending.deliveries())[0], {
      ...{ id: bad.id, attempt_count: 0, next_attempt_at: sending.clock.now() + UNWRITABLE_RETRY_MS },
    })
    assert.equal(lines.filter((line) => line.includes('its delivery was postponed')).length, 1)
  })
})

forEachEngine('an endpoint that cannot be processed', (engine) => {
  test('is released with a delay, and the others are sent to', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    requests.holdNoMore()
    const bad = await sending.endpoint(URL)
    await sending.endpoint(`${URL}/other`)
    await sending.emitEvents(3)
    const reads = new Set<string>()
    const shaky: Database = {
      ...sending.database,
      read(work) {
        // The first step of reading an endpoint names it.
        const step = work.next()
        const values = (step.value as { values?: { endpointId?: string } }).values
        if (values?.endpointId === bad.id) {
          reads.add(bad.id)
          return Promise.reject(new Error('this row cannot be read'))
        }
        return sending.database.read(resumed(work, step))
      },
    }
    await using node = await sending.node({ post: requests.send, database: shaky })
    await node.sendDue()
    assert.equal(reads.size, 1)
    assert.deepEqual(await sending.statuses(), { PENDING: 3, SUCCEEDED: 3 })
    const dueAt = sending.clock.now() + FAILED_RETRY_MS
    assert.partialDeepStrictEqual(await sending.endpointRow(bad.id), { claimed_by: null, due_at: dueAt })
  })
})

/** A generator that goes on after its first step was taken. */
function* resumed<Y, R, N>(work: Generator<Y, R, N>, first: IteratorResult<Y, R>): Generator<Y, R, N> {
  for (let step = first; ; ) {
    if (step.done === true) return step.value
    step = work.next(yield step.value)
  }
}
