import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { endProblemsSilently } from '../../../src/notifications/contacts/queries.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Service, startService } from './service.ts'
import { newAlertingTest, type AlertingTest } from './alerting.ts'

const accepted = () => startService(() => ({ status: 202 }))

/** What PagerDuty was told, with its own names for things replaced by the order in which they came up. */
function story({ received }: Service): string[] {
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

async function settled({ database }: AlertingTest): Promise<void> {
  const waiting = () => database.read(execute(q.selectFrom('alerts').select('num').where('due_at', 'is not', null)))
  await eventually(async () => assert.deepEqual(await waiting(), []))
}

forEachEngine('a service that keeps incidents', (engine) => {
  test('has one for what began together, and it ends with the last of them', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    await stage.alert({ incidentId: 'inc_1' })
    await stage.alert({ incidentId: 'inc_2' })
    await stage.startNode('a')
    await settled(stage)
    assert.deepEqual(story(service), ['trigger 1'])
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    await settled(stage)
    assert.deepEqual(story(service), ['trigger 1'], 'one of two is no end')
    await stage.alert({ kind: 'resolved', incidentId: 'inc_2' })
    await settled(stage)
    assert.deepEqual(story(service), ['trigger 1', 'resolve 1'])
    await stage.alert({ incidentId: 'inc_3' })
    await settled(stage)
    assert.deepEqual(story(service), ['trigger 1', 'resolve 1', 'trigger 2'])
    assert.equal((await stage.database.read(execute(q.selectFrom('alert_threads').selectAll()))).length, 1)
  })

  test('is told again under the same name what it may have heard already, and of its end even so', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    service.replies.push({ status: 500 }, { status: 500 })
    await stage.alert({ incidentId: 'inc_1' })
    await stage.startNode('a')
    await eventually(async () => assert.equal(service.received.length, 2))
    assert.deepEqual(story(service), ['trigger 1', 'trigger 1'])
    await settled(stage)
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    await settled(stage)
    assert.deepEqual(story(service), ['trigger 1', 'trigger 1', 'trigger 1', 'resolve 1'])
  })

  test('is told of the end of what was never acknowledged, without its beginning', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    service.replies.push({ status: 500 })
    await stage.alert({ incidentId: 'inc_1' })
    const node = await stage.startNode('a')
    await eventually(async () => assert.equal(node.counts.failed, 1))
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    await settled(stage)
    assert.deepEqual(story(service), ['trigger 1', 'resolve 1'])
  })

  test('hears nothing of what was over before it could be told', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    await stage.alert({ incidentId: 'inc_1' })
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1' })
    const node = await stage.startNode('a')
    await settled(stage)
    await delay(200)
    assert.deepEqual([service.received, node.counts.sent], [[], 0])
  })

  test('has degraded apart from down, and both end when the monitor is up', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await page(stage, service)
    await stage.startNode('a')
    const at = Date.now() - 10_000
    await stage.alert({ kind: 'degraded', incidentId: null, at })
    await settled(stage)
    await stage.alert({ kind: 'opened', incidentId: 'inc_1', at: at + 1 })
    await settled(stage)
    assert.deepEqual(story(service), ['trigger 1', 'trigger 2'])
    assert.deepEqual(
      service.received.map(({ body }) => body.payload.severity),
      ['warning', 'critical'],
    )
    await stage.alert({ kind: 'resolved', incidentId: 'inc_1', at: at + 2 })
    await settled(stage)
    assert.deepEqual(story(service).slice(2).sort(), ['resolve 1', 'resolve 2'])
  })

  test('hears of an end that people are not told of, and only if something is open there', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await accepted()
    await using people = await accepted()
    await page(stage, service)
    await stage.contact('WEBHOOK', { url: people.url })
    await stage.startNode('a')
    const over = { orgId: stage.orgId, monitorId: 'mon_1', incidentId: 'inc_1' }
    await stage.alert({ incidentId: 'inc_1' })
    await settled(stage)
    await stage.database.write(() => endProblemsSilently({ ...over, at: Date.now() }))
    await eventually(async () => assert.deepEqual(story(service), ['trigger 1', 'resolve 1']))
    await stage.database.write(() => endProblemsSilently({ ...over, at: Date.now() }))
    const dueAt = () => stage.database.read(execute(q.selectFrom('contacts').select('due_at')))
    await eventually(async () => assert.ok((await dueAt()).every((row) => row.due_at === null)))
    assert.deepEqual([service.received.length, people.received.length], [2, 1])
  })
})
