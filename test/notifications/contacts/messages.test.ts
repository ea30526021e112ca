import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { newAlertingTest, newHookTest, quickTiming } from './alerting.ts'
import { incidentsIn, type Received, startService } from './service.ts'

const { groupWaitMs, spacingMs } = quickTiming
const [retryDelayMs = 0] = quickTiming.retryDelaysMs

forEachEngine('messages to a contact', (engine) => {
  test('a single alert is sent after the group wait', async () => {
    await using stage = await newHookTest(engine)
    const { service, contactId: contact } = stage
    await stage.alert({})
    await stage.advance(groupWaitMs - 1)
    assert.equal(service.received.length, 0)
    await stage.advance(1)
    assert.equal(service.received.length, 1)
    assert.equal((await stage.rendered(contact)).lastSentAt, new Date(stage.clock.now()).toISOString())
  })

  test('alerts within the group wait are one message; of later ones, only outages do not wait for the spacing', async () => {
    await using stage = await newHookTest(engine)
    const { service } = stage
    for (let i = 0; i < 5; i += 1) await stage.alert({ incidentId: `inc_${i}` })
    await stage.advance(groupWaitMs)
    assert.equal(service.received.length, 1)
    for (let i = 5; i < 25; i += 1) await stage.alert({ incidentId: `inc_${i}` })
    await stage.advance(groupWaitMs - 1)
    assert.equal(service.received.length, 1)
    await stage.advance(1)
    await stage.alert({ kind: 'degraded', monitorId: 'mon_9', incidentId: null })
    await stage.advance(spacingMs - 1)
    const [first, second, ...more] = service.received as [Received, Received, ...Received[]]
    assert.deepEqual([incidentsIn(first).length, incidentsIn(second).length, more], [5, 20, []])
    await stage.advance(1)
    assert.equal(service.received.length, 3)
    assert.equal(first.body.title, 'Checkout, Checkout and 3 more are down')
    assert.match(second.body.title, /18 more are down$/, 'the whole storm in one message')
  })

  test('with a group wait of a minute, everything that fails within it is one message', async () => {
    const minuteMs = 60_000
    const timing = { ...quickTiming, groupWaitMs: minuteMs, spacingMs: minuteMs }
    await using stage = await newHookTest(engine, { timing })
    const { service } = stage
    for (let i = 0; i < 20; i += 1) {
      await stage.alert({ incidentId: `inc_${i}` })
      await stage.advance(100)
    }
    await stage.advance(minuteMs - 2_001)
    assert.equal(service.received.length, 0)
    await stage.advance(1)
    await stage.deliver()
    const [only, ...more] = service.received as [Received, ...Received[]]
    assert.deepEqual(
      [only.body.title, incidentsIn(only).length, more],
      ['Checkout, Checkout and 18 more are down', 20, []],
    )
  })

  test('a long storm gives one message per group wait and loses nothing', async () => {
    await using stage = await newHookTest(engine)
    const { service } = stage
    let [added, messages] = [0, 0]
    for (let elapsedMs = 0; elapsedMs <= 2 * spacingMs + groupWaitMs; elapsedMs += groupWaitMs) {
      await Promise.all(Array.from({ length: 5 }, () => stage.alert({ incidentId: `inc_${added++}` })))
      await stage.advance(groupWaitMs)
      messages += 1
    }
    assert.equal(service.received.length, messages)
    await stage.deliver()
    assert.equal(service.received.length, messages)
    assert.equal(service.received.flatMap(incidentsIn).length, added)
    assert.equal(new Set(service.received.flatMap(incidentsIn)).size, added)
  })

  test('the end of a problem that was reported gives its duration', async () => {
    await using stage = await newHookTest(engine)
    const { service } = stage
    await stage.alert({})
    await stage.advance(125_000)
    assert.equal(service.received.length, 1)
    await stage.alert({ kind: 'resolved' })
    await stage.deliver()
    assert.equal(service.received[1]?.body.title, 'Checkout is up again after 2 min')
  })
})

forEachEngine('messages about outages', (engine) => {
  test('a less urgent message, sent or failed, does not delay a message about an outage', async () => {
    let status = 200
    const timing = { ...quickTiming, spacingMs: 60_000, retryDelaysMs: [50_000, 50_000] }
    await using stage = await newHookTest(engine, { timing }, () => ({ status }))
    const { service } = stage
    const kinds = () =>
      service.received.map(({ body }) => body.alerts.map((alert: { kind: string }) => alert.kind).join())
    await stage.alert({ kind: 'degraded', incidentId: null })
    await stage.advance(groupWaitMs)
    await stage.alert({ incidentId: 'inc_1' })
    await stage.advance(groupWaitMs)
    assert.deepEqual(kinds(), ['degraded', 'opened'])
    status = 500
    await stage.alert({ kind: 'certificate_expiring', incidentId: null, monitorId: 'mon_2' })
    await stage.advance(60_000)
    assert.equal(service.received.length, 3, 'it failed and waits for its retry')
    status = 200
    await stage.alert({ incidentId: 'inc_2' })
    await stage.advance(groupWaitMs)
    assert.equal(service.received.length, 4)
    assert.match(kinds()[3] ?? '', /opened/)
  })
})

forEachEngine('a contact that is not reached', (engine) => {
  test('is retried, shows the last error, and recovers with the first success', async () => {
    await using stage = await newHookTest(engine)
    const { service, contactId: contact, node } = stage
    service.replies.push({ status: 503, body: 'busy' }, { status: 500, body: 'broken' })
    await stage.alert({})
    await stage.advance(groupWaitMs)
    const failed = await stage.rendered(contact)
    assert.equal(failed.lastError, 'Webhook returned HTTP 503: busy')
    assert.equal(failed.failingSince, new Date(stage.clock.now()).toISOString())
    await stage.advance(retryDelayMs - 1)
    assert.equal(service.received.length, 1)
    await stage.advance(1)
    const again = await stage.rendered(contact)
    assert.deepEqual([again.lastError, again.failingSince], ['Webhook returned HTTP 500: broken', failed.failingSince])
    await stage.advance(retryDelayMs)
    const { lastError, failingSince, lastSentAt } = await stage.rendered(contact)
    assert.deepEqual([lastError, failingSince, lastSentAt !== null], [null, null, true])
    assert.deepEqual(service.received.flatMap(incidentsIn), ['inc_1', 'inc_1', 'inc_1'])
    await eventually(async () => assert.deepEqual(node.counts, { sent: 1, failed: 2, gaveUp: 0 }))
  })

  test('gets failed alerts together with new ones', async () => {
    await using stage = await newHookTest(engine, { timing: { ...quickTiming, retryDelaysMs: [30_000] } })
    const { service } = stage
    service.replies.push({ status: 500 })
    await stage.alert({ incidentId: 'inc_1' })
    await stage.advance(groupWaitMs)
    await stage.alert({ incidentId: 'inc_2' })
    await stage.deliver()
    assert.deepEqual(service.received.map(incidentsIn), [['inc_1'], ['inc_1', 'inc_2']])
  })

  test('an alert that is sent along before its own retry loses no attempt', async () => {
    await using stage = await newHookTest(engine, { timing: { ...quickTiming, retryDelaysMs: [30_000] } }, () => ({
      status: 500,
    }))
    const { service, node } = stage
    for (let i = 1; i <= 3; i += 1) {
      await stage.alert({ incidentId: `inc_${i}` })
      await stage.deliver()
      await eventually(async () => assert.equal(node.counts.failed, i))
    }
    assert.deepEqual(incidentsIn(service.received[2] as Received), ['inc_1', 'inc_2', 'inc_3'])
    const alerts = await stage.database.read(execute(q.selectFrom('alerts').select(['attempts', 'outcome'])))
    assert.deepEqual(alerts.map(Object.values), Array(3).fill([1, null]))
  })

  test('an alert is given up after its last attempt, and the error stays visible', async () => {
    await using stage = await newHookTest(engine, {}, () => ({ status: 404, body: 'gone away' }))
    const { service, contactId: contact, node } = stage
    await stage.alert({ incidentId: 'inc_1' })
    await stage.advance(groupWaitMs)
    for (const delayMs of quickTiming.retryDelaysMs) await stage.advance(delayMs)
    await eventually(async () => assert.equal(node.counts.gaveUp, 1))
    await stage.advance(DAY_MS)
    const attempts = 1 + quickTiming.retryDelaysMs.length
    assert.deepEqual(service.received.flatMap(incidentsIn), Array(attempts).fill('inc_1'))
    const { lastError, failingSince, enabled } = await stage.rendered(contact)
    assert.equal(lastError, 'Webhook returned HTTP 404: gone away')
    assert.ok(failingSince !== null && enabled)
    await stage.alert({ incidentId: 'inc_2' })
    await stage.advance(groupWaitMs)
    assert.deepEqual(incidentsIn(service.received.at(-1) as Received), ['inc_2'])
  })
})

forEachEngine('a slow or overloaded contact', (engine) => {
  test('Retry-After delays new alerts as well, also outages', async () => {
    await using stage = await newHookTest(engine)
    const { service } = stage
    service.replies.push({ status: 429, headers: { 'retry-after': '20' } })
    await stage.alert({ incidentId: 'inc_1' })
    await stage.advance(groupWaitMs)
    await stage.alert({ incidentId: 'inc_2' })
    await stage.advance(19_999)
    assert.equal(service.received.length, 1)
    await stage.advance(1)
    assert.deepEqual(service.received.map(incidentsIn), [['inc_1'], ['inc_1', 'inc_2']])
  })

  test('does not delay others, even if failing contacts exceed the capacity', async () => {
    await using stage = await newAlertingTest(engine)
    await using unresponsive = await startService()
    await using service = await startService()
    const resume = unresponsive.hold()
    for (let i = 0; i < 8; i += 1) {
      await stage.contact('WEBHOOK', { url: `${unresponsive.url}/${i}` }, { name: 'unresponsive' })
    }
    await stage.contact('WEBHOOK', { url: service.url })
    // Contacts that failed before get at most half of the capacity of four.
    const failing = q.updateTable('contacts').set({ failing_since: 1 }).where('name', '=', 'unresponsive')
    await stage.database.write(() => execute(failing))
    await stage.startNode('a', { capacity: 4 })
    for (let i = 0; i < 3; i += 1) {
      await stage.alert({ incidentId: `inc_${i}` })
      stage.clock.advance(spacingMs)
      await eventually(async () => assert.equal(service.received.flatMap(incidentsIn).length, i + 1))
    }
    await eventually(async () => assert.equal(unresponsive.received.length, 2))
    resume()
    await stage.deliver()
    assert.ok(unresponsive.received.length >= 8)
  })
})
