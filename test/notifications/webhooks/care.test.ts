import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ask, q } from '../../../src/storage/query.ts'
import { deafPort } from '../../outbound/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startReceiver } from './receiver.ts'
import { newStage, type Stage } from './stage.ts'

/** What the operation of a retry by hand writes. */
async function retryByHand(stage: Stage, id: string): Promise<void> {
  const now = Date.now()
  await stage.database.write(function* () {
    const again = { status: 'PENDING', manual: 1, next_attempt_at: now, completed_at: null } as const
    yield* ask(q.updateTable('webhook_deliveries').set(again).where('id', '=', id))
    yield* ask(q.updateTable('webhook_endpoints').set({ due_at: now }).where('claimed_by', 'is', null))
  })
}

const statusOf = (stage: Stage, id: string) =>
  stage.deliveries().then((list) => list.find((each) => each.id === id)?.status)

forEachEngine('a receiver in trouble', (engine) => {
  test('one that is dead is tried with one thing at a time; the rest waits, loses no attempt, and arrives when it is back', async () => {
    await using stage = await newStage(engine)
    const port = await deafPort()
    await stage.endpoint(`http://127.0.0.1:${port}/hook`)
    await stage.happen(60)
    await using _ = await stage.send({ schedule: [0, 600, 600] })
    await delay(2_500)
    const attempts = (await stage.attempts()).length
    assert.ok(attempts >= 4 && attempts <= 12, `${attempts} attempts`)
    const untouched = (await stage.deliveries()).filter((each) => each.attempt_count === 0)
    assert.ok(untouched.length >= 48)
    await using receiver = await startReceiver(undefined, port)
    await receiver.count(untouched.length, 20_000)
    await eventually(async () => {
      const list = await stage.deliveries()
      const waiting = list.filter((each) => each.status === 'PENDING')
      assert.ok(waiting.length <= attempts)
      assert.ok(waiting.every((each) => each.attempt_count === 1))
    })
  })

  test('a retry by hand goes out before everything that waits, also to one that is left alone, and is one attempt', async () => {
    await using stage = await newStage(engine)
    const port = await deafPort()
    await stage.endpoint(`http://127.0.0.1:${port}/hook`)
    await stage.happen(1)
    await using _ = await stage.send({ schedule: [0] })
    const [first] = await eventually(async () => {
      const list = await stage.deliveries()
      assert.equal(list[0]?.status, 'FAILED')
      return list
    })
    const id = first?.id ?? ''
    await stage.happen(200)
    await delay(1_000)
    await retryByHand(stage, id)
    await eventually(async () => {
      const tries = (await stage.attempts()).filter((each) => each.delivery_id === id)
      assert.deepEqual(
        tries.map((each) => [each.number, each.trigger_kind, each.error]),
        [
          [1, 'SCHEDULED', 'CONNECT'],
          [2, 'MANUAL', 'CONNECT'],
        ],
      )
      assert.equal(await statusOf(stage, id), 'FAILED')
    }, 5_000)
    assert.ok((await stage.deliveries()).some((each) => each.attempt_count === 0))
    await using receiver = await startReceiver(undefined, port)
    await retryByHand(stage, id)
    await eventually(async () => assert.equal(await statusOf(stage, id), 'SUCCEEDED'), 5_000)
    const [event] = await stage.database.read(ask(q.selectFrom('events').select('id').orderBy('id')))
    assert.equal(receiver.letters[0]?.id, event?.id)
    await receiver.count(150, 10_000)
  })
})

forEachEngine('claims on endpoints', (engine) => {
  test('an endpoint is changed, disabled and deleted under the hands of the sender, and the change holds', async () => {
    await using stage = await newStage(engine)
    await using slow = await startReceiver((response) => setTimeout(() => response.end(), 100))
    await using other = await startReceiver((response) => setTimeout(() => response.end(), 100))
    const { id } = await stage.endpoint(slow.url)
    await stage.happen(200)
    await using _ = await stage.send()
    await slow.count(8)
    await stage.change(id, { url: other.url })
    await other.count(1, 3_000)
    const sentBefore = slow.letters.length
    await stage.change(id, { enabled: 0 })
    await eventually(async () => {
      const states = new Set((await stage.deliveries()).map(({ status }) => status))
      assert.deepEqual([...states].sort(), ['FAILED', 'SUCCEEDED'])
    })
    assert.equal(slow.letters.length, sentBefore)
    await stage.settled()
    await stage.change(id, { enabled: 1 })
    await stage.happen(100)
    const had = other.letters.length
    await other.count(had + 4)
    await stage.database.write(() => ask(q.deleteFrom('webhook_endpoints').where('id', '=', id)))
    await delay(1_500)
    const atLast = other.letters.length
    await delay(500)
    assert.equal(other.letters.length, atLast)
    assert.ok(atLast < had + 100)
  })

  test('what a dead node had claimed is sent at once, what a living one has is left alone', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver()
    const dead = await stage.endpoint(receiver.url)
    const living = await stage.endpoint(receiver.url)
    await stage.happen()
    const later = Date.now() + 60_000
    const lock = await stage.database.tryLock('node living')
    await stage.change(dead.id, { claimed_by: 'dead', due_at: later })
    await stage.change(living.id, { claimed_by: 'living', due_at: later })
    await using _ = await stage.send()
    await receiver.count(1, 3_000)
    await delay(300)
    assert.equal(receiver.letters.length, 1)
    assert.partialDeepStrictEqual(await stage.endpointRow(living.id), { claimed_by: 'living', due_at: later })
    await lock?.release()
    await receiver.count(2, 8_000)
  })
})

forEachEngine('several nodes', (engine) => {
  test('a node that stops lets what is under way end, and gives its endpoints back', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver((response) => setTimeout(() => response.end(), 300))
    const { id } = await stage.endpoint(receiver.url)
    await stage.happen(30)
    const sending = await stage.send()
    await receiver.count(5)
    await sending.stop()
    const row = await stage.endpointRow(id)
    assert.equal(row.claimed_by, null)
    assert.ok(row.due_at !== null && row.due_at <= Date.now())
    const sent = receiver.letters.length
    const succeeded = (await stage.deliveries()).filter((each) => each.status === 'SUCCEEDED').length
    assert.equal(succeeded, sent, 'what was sent is known to be sent')
    await using _ = await stage.send()
    await receiver.count(30)
    await stage.settled()
    assert.equal(new Set(receiver.letters.map((letter) => letter.id)).size, 30)
    assert.equal(receiver.letters.length, 30)
  })

  test('two nodes share the endpoints: each event arrives once, and no endpoint gets more than four at once', async () => {
    await using stage = await newStage(engine)
    // Who lives is known to a connection alone on SQLite: two of them would take each other for dead.
    const second = engine === 'sqlite' ? stage.database : await stage.open()
    await using receivers: AsyncDisposableStack = new AsyncDisposableStack()
    const all = []
    for (let i = 0; i < 6; i += 1) {
      const receiver = receivers.use(await startReceiver((response) => setTimeout(() => response.end(), 5)))
      await stage.endpoint(receiver.url)
      all.push(receiver)
    }
    const one = await stage.send()
    const two = await stage.send({}, second)
    const haveBothSent = () => one.lateMs.length > 0 && two.lateMs.length > 0
    let happened = 0
    // Which of the two gets a claim is a matter of luck: one may be lucky for long.
    for (let i = 0; i < 10 || (i < 60 && !haveBothSent()); i += 1) {
      await stage.happen(10)
      happened += 10
      // Whoever is told first has the better chance; in between nobody has a claim, or one goes on.
      for (const { sender } of i % 2 === 0 ? [one, two] : [two, one]) sender.nudge()
      await delay(i % 10 < 5 ? 200 : Math.random() * 40)
    }
    for (const receiver of all) await receiver.count(happened)
    await stage.settled()
    for (const receiver of all) {
      assert.equal(receiver.letters.length, happened)
      assert.equal(new Set(receiver.letters.map((letter) => letter.id)).size, happened)
      assert.ok(receiver.mostAtOnce <= 4, `${receiver.mostAtOnce} at once`)
    }
    assert.ok(haveBothSent(), `${one.lateMs.length} and ${two.lateMs.length}`)
    assert.equal(one.lateMs.length + two.lateMs.length, 6 * happened)
    await two.stop()
    if (second !== stage.database) await second.close()
  })
})
