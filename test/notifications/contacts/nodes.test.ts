import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Batch, collectBatch } from '../../../src/notifications/contacts/batch.ts'
import { type Claim, claimDueContacts, contactQueue } from '../../../src/notifications/contacts/claim.ts'
import { alertContacts } from '../../../src/notifications/contacts/queries.ts'
import { releaseClaim, settleFailure, settleSuccess } from '../../../src/notifications/contacts/settle.ts'
import { wakeOverlooked } from '../../../src/notifications/contacts/wake-overlooked.ts'
import { nodeLock } from '../../../src/storage/node-lock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { FAILED_RETRY_MS } from '../../../src/storage/queue/process.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Received, startService } from './service.ts'
import { newAlert, newAlertingTest, quickTiming } from './alerting.ts'

const failure = { error: 'It failed', retryAfterMs: null }

const ok = () => startService(() => ({ status: 200 }))

const idsIn = ({ body }: Received): string[] => body.alerts.map(({ incidentId }: { incidentId: string }) => incidentId)

forEachEngine('what waits outlives who sends it', (engine) => {
  test('a stop lets the message under way end, and what is left is sent after the start, once', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    await stage.contact('WEBHOOK', { url: service.url })
    const node = await stage.startNode('a')
    const letGo = service.hold()
    await stage.alert({ incidentId: 'inc_1' })
    await eventually(async () => assert.equal(service.received.length, 1))
    await stage.alert({ incidentId: 'inc_2' })
    const stopped = node.stop()
    await delay(100)
    letGo()
    await stopped
    await stage.alert({ incidentId: 'inc_3' })
    await delay(300)
    assert.equal(service.received.length, 1)
    await stage.startNode('b')
    await eventually(async () => assert.equal(service.received.length, 2))
    await delay(quickTiming.spacingMs + 300)
    assert.deepEqual(service.received.map(idsIn), [['inc_1'], ['inc_2', 'inc_3']])
  })

  test('a stop breaks off what takes too long; that is no failure, and it is sent after the start', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    const node = await stage.startNode('a')
    const letGo = service.hold()
    await stage.alert({ incidentId: 'inc_1' })
    await eventually(async () => assert.equal(service.received.length, 1))
    const started = performance.now()
    await node.stop()
    const tookMs = performance.now() - started
    assert.ok(tookMs > 4_500 && tookMs < 8_000, `${tookMs} ms`)
    assert.deepEqual(node.counts, { sent: 0, failed: 0, gaveUp: 0 })
    assert.equal((await stage.rendered(contact)).lastError, null)
    letGo()
    await stage.startNode('b')
    await eventually(async () => assert.deepEqual(service.received.map(idsIn), [['inc_1'], ['inc_1']]))
  })

  test('what a node had claimed when it died is sent by another, under the same name', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    await stage.alert({ incidentId: 'inc_1' })
    const claim = q
      .updateTable('contacts')
      .set({ claimed_by: 'dead', due_at: Date.now() + 180_000 })
      .where('id', '=', contact)
    await stage.database.write(() => execute(claim))
    await stage.database.write(() => execute(q.updateTable('alerts').set({ message_id: 'ntc_of_the_dead' })))
    await using node = await stage.startNode('b')
    await delay(400)
    assert.equal(service.received.length, 0, 'a claim stands')
    const life = await stage.database.tryLock(nodeLock('dead'))
    assert.equal(await contactQueue.releaseOfDead(stage.database, node.name, Date.now()), 0, 'its node lives')
    await life?.release()
    assert.equal(await contactQueue.releaseOfDead(stage.database, node.name, Date.now()), 1)
    await eventually(async () =>
      assert.deepEqual(
        service.received.map(({ body }) => body.id),
        ['ntc_of_the_dead'],
      ),
    )
  })

  test('a claim that nobody ends ends by itself', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.alert({ incidentId: 'inc_1' })
    const past = q.updateTable('contacts').set({ claimed_by: 'hanging', due_at: Date.now() - 1_000 })
    await stage.database.write(() => execute(past))
    await stage.startNode('b')
    await eventually(async () => assert.deepEqual(service.received.flatMap(idsIn), ['inc_1']))
  })
})

forEachEngine('a contact that cannot be processed', (engine) => {
  test('is released with a delay at once, and the others get their alerts', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    const bad = await stage.contact('WEBHOOK', { url: service.url })
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.database.write(() =>
      execute(q.updateTable('contacts').set({ channel: 'UNKNOWN' }).where('id', '=', bad)),
    )
    await stage.alert({ incidentId: 'inc_1' })
    const before = Date.now()
    await stage.startNode('a')
    await eventually(async () => {
      assert.deepEqual(service.received.map(idsIn), [['inc_1']])
      const [row] = await stage.database.read(execute(q.selectFrom('contacts').selectAll().where('id', '=', bad)))
      assert.equal(row?.claimed_by, null)
      assert.ok((row?.due_at ?? 0) >= before + FAILED_RETRY_MS)
    })
  })
})

forEachEngine('claims and rows that got out of step', (engine) => {
  test('whoever comes back after its claim has ended changes nothing any more', async () => {
    await using stage = await newAlertingTest(engine)
    const { database } = stage
    await stage.contact('WEBHOOK', { url: 'https://a.example' })
    const at = Date.now()
    await stage.alert({ at })
    const claimAt = async (node: string, now: number) => {
      const request = { node, now, limit: 9, failing: false }
      return (await database.write(() => claimDueContacts(request)))[0] as Claim
    }
    const late = await claimAt('late', at)
    const batch = (await database.write(() => collectBatch(late, 'ntc_1', quickTiming.spacingMs))) as Batch
    assert.equal(await claimAt('other', at + contactQueue.spec.leaseMs - 1), undefined, 'a claim stands')
    const other = await claimAt('other', at + contactQueue.spec.leaseMs)
    assert.equal(await database.write(() => collectBatch(late, 'ntc_2', quickTiming.spacingMs)), undefined)
    assert.equal(await database.write(() => settleSuccess(batch, true, at, quickTiming)), false)
    assert.equal(
      await database.write(() => settleFailure(batch, failure, at, { ...quickTiming, retryDelaysMs: [] }, Math)),
      0,
    )
    await database.write(() => releaseClaim(late))
    const again = await database.write(() => collectBatch(other, 'ntc_2', quickTiming.spacingMs))
    assert.deepEqual(again?.alerts, batch.alerts)
    assert.equal(await database.write(() => settleSuccess(again as Batch, true, at, quickTiming)), true)
  })

  test('an alert whose contact was not made due is found again, but not before the contact wants to hear', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await ok()
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    const set = (due_at: number | null, hold_until: number) =>
      stage.database.write(() =>
        execute(q.updateTable('contacts').set({ due_at, hold_until }).where('id', '=', contact)),
      )
    const now = Date.now()
    await stage.alert({ at: now - 10_000 })
    const dueAt = async () => (await stage.database.read(execute(q.selectFrom('contacts').select('due_at'))))[0]?.due_at
    await set(null, 0)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 1)
    assert.equal(await dueAt(), now)
    await set(now + 7_200_000, 0)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 1)
    assert.equal(await dueAt(), now)
    await set(null, now + 90_000)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 1)
    assert.equal(await dueAt(), now + 90_000)
    assert.equal(await stage.database.write(() => wakeOverlooked(now)), 0)
    await set(null, 0)
    await stage.database.write(() => wakeOverlooked(now))
    await stage.startNode('a')
    await eventually(async () => assert.equal(service.received.length, 1))
  })
})

test('two nodes never send one alert twice, and none is lost', { skip: withoutPostgres }, async () => {
  await using stage = await newAlertingTest('postgres')
  await using service = await ok()
  const CONTACTS = 20
  const CHANGES = 150
  for (let i = 0; i < CONTACTS; i += 1) await stage.contact('WEBHOOK', { url: `${service.url}/${i}` })
  const [first, second] = [await stage.open(), await stage.open()]
  const pace = { ...quickTiming, groupWaitMs: 30, spacingMs: 60 }
  await stage.startNode('a', { database: first, pace })
  await stage.startNode('b', { database: second, pace })
  let next = 0
  const teller = async (database: typeof first): Promise<void> => {
    for (let i = next++; i < CHANGES; i = next++) {
      await database.write(() => alertContacts(newAlert(stage.orgId, { incidentId: `inc_${i}` })))
    }
  }
  await Promise.all([first, second, first, second].map(teller))
  const told = () => service.received.flatMap((request) => idsIn(request).map((id) => `${request.path} ${id}`))
  await eventually(async () => {
    await stage.database.write(() => wakeOverlooked(Date.now()))
    assert.equal(new Set(told()).size, CONTACTS * CHANGES)
  }, 60_000)
  await delay(500)
  assert.equal(told().length, CONTACTS * CHANGES, 'each once')
})
