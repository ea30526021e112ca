import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endProblemsSilently } from '../../../src/notifications/contacts/queries.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type AlertingTest, newAlertingTest } from './alerting.ts'
import { type Service, startService } from './service.ts'

const accepted = () => startService(() => ({ status: 202 }))

/** The events that PagerDuty received, with keys replaced by numbers in order of appearance. */
function events({ received }: Service): string[] {
  const keys = new Map<string, number>()
  return received.map(({ body }) => {
    const { event_action: action, dedup_key: key } = body
    if (!keys.has(key)) keys.set(key, keys.size + 1)
    return `${action} ${keys.get(key)}`
  })
}

async function page(stage: AlertingTest, service: Service): Promise<void> {
  await stage.contact('PAGERDUTY', { routingKey: 'a'.repeat(32), apiUrl: service.url })
}

forEachEngine('a channel that tracks incidents', (engine) => {
  test('has one thread for problems that began together, resolved with the last of them', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    await stage.alert({ incidentId: 'inc_1' })
    await stage.alert({ incidentId: 'inc_2' })
    await stage.startNode('a')
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1'])
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1'], 'one of two has not ended it')
    await stage.alert({ kind: 'resolved', incidentId: 'inc_2' })
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1', 'resolve 1'])
    await stage.alert({ incidentId: 'inc_3' })
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1', 'resolve 1', 'trigger 2'])
    assert.equal((await stage.database.read(execute(q.selectFrom('alert_threads').selectAll()))).length, 1)
  })

  test('gets a repeated trigger with the same key, and its end', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    service.replies.push({ status: 500 }, { status: 500 })
    await stage.alert({ incidentId: 'inc_1' })
    await stage.startNode('a')
    await stage.deliver()
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1', 'trigger 1'])
    await stage.deliver()
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1', 'trigger 1', 'trigger 1', 'resolve 1'])
  })

  test('gets the end of a thread whose trigger failed, without another trigger', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    service.replies.push({ status: 500 })
    await stage.alert({ incidentId: 'inc_1' })
    const node = await stage.startNode('a')
    await stage.deliver()
    await eventually(async () => assert.equal(node.counts.failed, 1))
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1', 'resolve 1'])
  })

  test('gets nothing for a problem that ended before it was sent', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    await stage.alert({ incidentId: 'inc_1' })
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    const node = await stage.startNode('a')
    await stage.deliver()
    assert.deepEqual([service.received, node.counts.sent], [[], 0])
  })

  test('has a degradation apart from an outage, and both end when the monitor is up', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    await stage.startNode('a')
    const at = stage.clock.now() - 10_000
    await stage.alert({ kind: 'degraded', incidentId: null, at })
    await stage.deliver()
    await stage.alert({ kind: 'opened', incidentId: 'inc_1', at: at + 1 })
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1', 'trigger 2'])
    assert.deepEqual(
      service.received.map(({ body }) => body.payload.severity),
      ['warning', 'critical'],
    )
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1', at: at + 2 })
    await stage.deliver()
    assert.deepEqual(events(service).slice(2).sort(), ['resolve 1', 'resolve 2'])
  })

  test('gets a silent end, and only if a thread is open', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await using people = await accepted()
    await page(stage, service)
    await stage.contact('WEBHOOK', { url: people.url })
    await stage.startNode('a')
    const over = [{ monitorId: 'mon_1', incidentId: 'inc_1' }]
    await stage.alert({ incidentId: 'inc_1' })
    await stage.deliver()
    await stage.database.write(() => endProblemsSilently(stage.orgId, over, stage.clock.now()))
    await stage.deliver()
    assert.deepEqual(events(service), ['trigger 1', 'resolve 1'])
    await stage.database.write(() => endProblemsSilently(stage.orgId, over, stage.clock.now()))
    const contacts = await stage.database.read(execute(q.selectFrom('contacts').select('due_at')))
    assert.ok(contacts.every((row) => row.due_at === null))
    await stage.deliver()
    assert.deepEqual([service.received.length, people.received.length], [2, 1])
  })
})
