import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Received, startService } from './service.ts'
import { newAlertingTest, quickTiming } from './alerting.ts'

const ok = () => startService(() => ({ status: 200 }))

const idsIn = ({ body }: Received): string[] => body.alerts.map(({ incidentId }: { incidentId: string }) => incidentId)

forEachEngine('when a contact is told', (engine) => {
  test('a single outage is told as soon as it has waited for company', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a')
    const at = Date.now()
    await stage.alert({ at })
    await eventually(async () => assert.equal(service.received.length, 1))
    const tookMs = (service.received[0]?.at ?? 0) - at
    assert.ok(tookMs >= quickTiming.groupWaitMs && tookMs < 2_000, `${tookMs} ms`)
    await eventually(async () => assert.notEqual((await stage.rendered(contact)).lastSentAt, null))
  })

  test('what comes together is told together, and what comes within the minute waits for its end', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a')
    for (let i = 0; i < 5; i += 1) await stage.alert({ incidentId: `inc_${i}` })
    await eventually(async () => assert.equal(service.received.length, 1))
    for (let i = 5; i < 25; i += 1) {
      await stage.alert({ incidentId: `inc_${i}` })
      await delay(10)
    }
    await eventually(async () => assert.equal(service.received.flatMap(idsIn).length, 25))
    const [first, second, ...more] = service.received as [Received, Received, ...Received[]]
    assert.deepEqual([idsIn(first).length, idsIn(second).length, more], [5, 20, []])
    assert.equal(first.body.title, '5 monitors are down')
    assert.equal(second.body.title, '20 monitors are down, 5 are still down', 'the whole storm in one message')
    assert.ok(second.at - first.at >= quickTiming.spacingMs - 50, `${second.at - first.at} ms`)
  })

  test('where alerts wait for a minute, all that fails within it is one message', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    await stage.contact('WEBHOOK', { url: service.url })
    const minuteMs = 4_000
    await stage.startNode('a', { pace: { ...quickTiming, groupWaitMs: minuteMs, spacingMs: minuteMs } })
    const beganAt = Date.now()
    for (let i = 0; i < 20; i += 1) {
      await stage.alert({ incidentId: `inc_${i}`, at: Date.now() })
      await delay(20)
    }
    await eventually(async () => assert.equal(service.received.length, 1), 15_000)
    await delay(quickTiming.spacingMs)
    const [only, ...more] = service.received as [Received, ...Received[]]
    assert.deepEqual([only.body.title, idsIn(only).length, more], ['20 monitors are down', 20, []])
    assert.ok(only.at - beganAt >= minuteMs, `${only.at - beganAt} ms`)
  })

  test('a storm that goes on gives one message a minute and loses nothing', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a')
    const until = Date.now() + 2_600
    let told = 0
    while (Date.now() < until) {
      await Promise.all(Array.from({ length: 5 }, () => stage.alert({ incidentId: `inc_${told++}` })))
      await delay(20)
    }
    await eventually(async () => assert.equal(service.received.flatMap(idsIn).length, told))
    assert.equal(new Set(service.received.flatMap(idsIn)).size, told)
    for (const [i, { at }] of service.received.entries()) {
      const before = service.received[i - 1]
      if (before !== undefined) assert.ok(at - before.at >= quickTiming.spacingMs - 50, `${at - before.at} ms apart`)
    }
  })

  test('down and up again before the message went out is told once', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    await stage.contact('WEBHOOK', { url: service.url })
    const at = Date.now()
    await stage.alert({ at })
    await stage.alert({ kind: 'resolved', at: at + 3_000 })
    await stage.startNode('a')
    await eventually(async () => assert.equal(service.received.length, 1))
    assert.equal(service.received[0]?.body.title, 'Checkout was down for 3 s and is up again')
    await delay(quickTiming.spacingMs + 300)
    assert.equal(service.received.length, 1)
  })

  test('an end that comes after its beginning was told says how long it took', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a')
    const at = Date.now()
    await stage.alert({ at: at - 125_000 })
    await eventually(async () => assert.equal(service.received.length, 1))
    await stage.alert({ kind: 'resolved', at })
    await eventually(async () => assert.equal(service.received.length, 2))
    assert.equal(service.received[1]?.body.title, 'Checkout is up again after 2 min 5 s')
  })
})

forEachEngine('a contact that is not reached', (engine) => {
  test('is tried again, says why meanwhile, and is well again after the first success', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    service.replies.push({ status: 503, body: 'busy' }, { status: 500, body: 'broken' })
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    const node = await stage.startNode('a')
    await stage.alert({})
    await eventually(async () => {
      const { lastError, failingSince } = await stage.rendered(contact)
      assert.match(lastError ?? '', /^The webhook answered 50\d: /)
      assert.notEqual(failingSince, null)
    })
    await eventually(async () => {
      const { lastError, failingSince, lastSentAt } = await stage.rendered(contact)
      assert.deepEqual([lastError, failingSince, lastSentAt !== null], [null, null, true])
    })
    assert.deepEqual(service.received.flatMap(idsIn), ['inc_1', 'inc_1', 'inc_1'])
    assert.deepEqual(node.counts, { sent: 1, failed: 2, gaveUp: 0 })
  })

  test('is told what waited together with what is new', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    service.replies.push({ status: 500 })
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a', { pace: { ...quickTiming, retryDelaysMs: [30_000] } })
    await stage.alert({ incidentId: 'inc_1' })
    await eventually(async () => assert.equal(service.received.length, 1))
    await stage.alert({ incidentId: 'inc_2' })
    await eventually(async () => assert.equal(service.received.length, 2))
    assert.deepEqual(idsIn(service.received[1] as Received), ['inc_1', 'inc_2'])
  })

  test('loses none of its attempts by going along with what is new', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await startService(() => ({ status: 500 }))
    await stage.contact('WEBHOOK', { url: service.url })
    const node = await stage.startNode('a', { pace: { ...quickTiming, spacingMs: 150, retryDelaysMs: [30_000] } })
    for (let i = 1; i <= 3; i += 1) {
      await stage.alert({ incidentId: `inc_${i}` })
      await eventually(async () => assert.equal(node.counts.failed, i))
    }
    assert.deepEqual(idsIn(service.received[2] as Received), ['inc_1', 'inc_2', 'inc_3'])
    // A failure counts before it is written.
    await eventually(async () => {
      const alerts = await stage.database.read(execute(q.selectFrom('alerts').select(['attempts', 'outcome'])))
      assert.deepEqual(alerts.map(Object.values), Array(3).fill([1, null]))
    })
  })

  test('is given up after the last attempt, alert by alert, and keeps saying why', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await startService(() => ({ status: 404, body: 'gone away' }))
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    const node = await stage.startNode('a')
    await stage.alert({ incidentId: 'inc_1' })
    await eventually(async () => assert.equal(node.counts.gaveUp, 1))
    const attempts = 1 + quickTiming.retryDelaysMs.length
    assert.deepEqual(service.received.flatMap(idsIn), Array(attempts).fill('inc_1'))
    await delay(800)
    assert.equal(service.received.length, attempts, 'nothing more comes of it')
    const { lastError, failingSince, enabled } = await stage.rendered(contact)
    assert.equal(lastError, 'The webhook answered 404: gone away')
    assert.ok(failingSince !== null && enabled)
    await stage.alert({ incidentId: 'inc_2' })
    await eventually(async () => assert.deepEqual(idsIn(service.received.at(-1) as Received), ['inc_2']))
  })

  test('is left alone for as long as it asked, by what is new too', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    service.replies.push({ status: 429, headers: { 'retry-after': '2' } })
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a')
    await stage.alert({ incidentId: 'inc_1' })
    await eventually(async () => assert.equal(service.received.length, 1))
    await stage.alert({ incidentId: 'inc_2' })
    await eventually(async () => assert.equal(service.received.length, 2))
    const [first, second] = service.received as [Received, Received]
    assert.ok(second.at - first.at >= 1_950, `${second.at - first.at} ms`)
    assert.deepEqual(idsIn(second), ['inc_1', 'inc_2'])
  })

  test('does not delay another, not even where those that fail are more than there is room for', async () => {
    await using stage = await newAlertingTest(engine)
    await using deaf = await ok()
    await using service = await ok()
    const letGo = deaf.hold()
    const pace = { ...quickTiming, spacingMs: 100 }
    for (let i = 0; i < 8; i += 1) await stage.contact('WEBHOOK', { url: `${deaf.url}/${i}` })
    await stage.contact('WEBHOOK', { url: service.url })
    // The deaf ones are known to fail: there is room for four at once, and at most two of them may be deaf.
    const failing = q
      .updateTable('contacts')
      .set({ failing_since: 1 })
      .where('settings', 'like', `%${new URL(deaf.url).port}%`)
    await stage.database.write(() => execute(failing))
    await stage.startNode('a', { capacity: 4, pace })
    for (let i = 0; i < 3; i += 1) {
      await stage.alert({ incidentId: `inc_${i}` })
      await eventually(async () => assert.equal(service.received.flatMap(idsIn).length, i + 1), 2_000)
    }
    assert.equal(deaf.received.length, 2)
    letGo()
    await eventually(async () => assert.ok(deaf.received.length >= 8))
  })
})
