import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import { type Batch, collectBatch } from '../../../src/notifications/contacts/batch.ts'
import { type Claim, claimHealthy, contactQueue, wakeOverlooked } from '../../../src/notifications/contacts/claim.ts'
import { alertContacts } from '../../../src/notifications/contacts/queries.ts'
import { releaseClaim, settleFailure, settleSuccess } from '../../../src/notifications/contacts/settle.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { newAlert, newAlertingTest, newHookTest, quickTiming } from './alerting.ts'
import { incidentsIn, startService } from './service.ts'

const failure = { error: 'It failed', retryAfterMs: null }

forEachEngine('pending alerts survive their sender', (engine) => {
  test('a stop waits for the message in flight, and the next start sends the rest, once', async () => {
    await using stage = await newHookTest(engine)
    const { service, node } = stage
    const resume = service.hold()
    await stage.alert({ incidentId: 'inc_1' })
    stage.clock.advance(quickTiming.groupWaitMs)
    await eventually(async () => assert.equal(service.received.length, 1))
    await stage.alert({ incidentId: 'inc_2' })
    const stopped = node.stop()
    resume()
    await stopped
    assert.equal(node.counts.sent, 1)
    await stage.alert({ incidentId: 'inc_3' })
    await stage.startNode('b')
    await stage.deliver()
    await stage.deliver()
    assert.deepEqual(service.received.map(incidentsIn), [['inc_1'], ['inc_2', 'inc_3']])
  })

  test('a stop aborts a message that takes too long; that is not a failure, and it is sent after the next start', async () => {
    await using stage = await newHookTest(engine)
    const { service, contactId: contact, node } = stage
    const resume = service.hold()
    await stage.alert({ incidentId: 'inc_1' })
    stage.clock.advance(quickTiming.groupWaitMs)
    await eventually(async () => assert.equal(service.received.length, 1))
    await node.stop(50)
    assert.deepEqual(node.counts, { sent: 0, failed: 0, gaveUp: 0 })
    assert.equal((await stage.rendered(contact)).lastError, null)
    resume()
    await stage.startNode('b')
    await stage.deliver()
    assert.deepEqual(service.received.map(incidentsIn), [['inc_1'], ['inc_1']])
  })
})

forEachEngine('claims and rows that are inconsistent', (engine) => {
  test('a node whose claim has ended cannot change anything', async () => {
    await using stage = await newAlertingTest(engine)
    const { database } = stage
    await stage.contact('WEBHOOK', { url: 'https://a.example' })
    const at = stage.clock.now()
    await stage.alert({ at })
    const claimAt = async (node: string, now: number) => {
      const request = { node, now, limit: 9 }
      return (await database.write(() => claimHealthy(request)))[0] as Claim
    }
    const late = await claimAt('late', at)
    const batch = (await database.write(() => collectBatch(late, 'ntc_1', quickTiming.spacingMs))) as Batch
    assert.equal(await claimAt('other', at + contactQueue.spec.leaseMs - 1), undefined, 'it is claimed')
    const other = await claimAt('other', at + contactQueue.spec.leaseMs)
    assert.equal(await database.write(() => collectBatch(late, 'ntc_2', quickTiming.spacingMs)), undefined)
    assert.equal(await database.write(() => settleSuccess(batch, true, at, quickTiming)), false)
    assert.equal(
      await database.write(() => settleFailure(batch, failure, at, { ...quickTiming, retryDelaysMs: [] }, Math.random)),
      0,
    )
    await database.write(() => releaseClaim(late))
    const again = await database.write(() => collectBatch(other, 'ntc_2', quickTiming.spacingMs))
    assert.deepEqual(again?.alerts, batch.alerts)
    assert.equal(await database.write(() => settleSuccess(again as Batch, true, at, quickTiming)), true)
  })

  test('an alert whose contact was not made due is found, but not sent before hold_until', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await startService()
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    const set = (due_at: number | null, hold_until: number) =>
      stage.database.write(() =>
        execute(q.updateTable('contacts').set({ due_at, hold_until }).where('id', '=', contact)),
      )
    const now = stage.clock.now()
    await stage.alert({ kind: 'degraded', incidentId: null, at: now - 10_000 })
    const dueAt = async () => (await stage.database.read(execute(q.selectFrom('contacts').select('due_at'))))[0]?.due_at
    await set(null, 0)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 1)
    assert.equal(await dueAt(), now - 10_000)
    await set(now + 7_200_000, 0)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 1)
    assert.equal(await dueAt(), now - 10_000)
    await set(null, now + 90_000)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 1)
    assert.equal(await dueAt(), now + 90_000)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 0)
    await set(null, 0)
    await stage.database.write(() => wakeOverlooked(now))
    await stage.startNode('a')
    await stage.deliver()
    assert.equal(service.received.length, 1)
  })
})

test('two nodes never send one alert twice, and none is lost', { skip: withoutPostgres }, async () => {
  await using stage = await newAlertingTest('postgres')
  await using service = await startService()
  const CONTACTS = 20
  const CHANGES = 150
  for (let i = 0; i < CONTACTS; i += 1) await stage.contact('WEBHOOK', { url: `${service.url}/${i}` })
  const [first, second] = [await stage.open(), await stage.open()]
  const options = { clock: systemClock, timing: { ...quickTiming, groupWaitMs: 30, spacingMs: 60 } }
  await stage.startNode('a', { database: first, ...options })
  await stage.startNode('b', { database: second, ...options })
  let next = 0
  const addAlerts = async (database: typeof first): Promise<void> => {
    for (let i = next++; i < CHANGES; i = next++) {
      await database.write(() => alertContacts(newAlert(stage.orgId, { incidentId: `inc_${i}` })))
    }
  }
  await Promise.all([first, second, first, second].map(addAlerts))
  const sent = () => service.received.flatMap((request) => incidentsIn(request).map((id) => `${request.path} ${id}`))
  await eventually(async () => {
    await stage.database.write(() => wakeOverlooked(Date.now()))
    assert.equal(new Set(sent()).size, CONTACTS * CHANGES)
    const pending = q.selectFrom('alerts').select('num').where('due_at', 'is not', null)
    assert.deepEqual(await stage.database.read(execute(pending.limit(1))), [])
  }, 60_000)
  assert.equal(sent().length, CONTACTS * CHANGES, 'each once')
})
