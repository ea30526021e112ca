import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { newHookTest } from './alerting.ts'

forEachEngine('a monitor that flaps', (engine) => {
  test('sends at most one message in five minutes, then a summary, and every alert is recorded', async () => {
    await using stage = await newHookTest(engine)
    const { service } = stage
    const start = stage.clock.now()
    const sentAt: number[] = []
    const advance = async (ms: number) => {
      await stage.advance(ms)
      while (sentAt.length < service.received.length) sentAt.push(stage.clock.now() - start)
    }
    for (let i = 0; i < 13; i += 1) {
      const change = { monitorId: 'mon_f', incidentId: `inc_${i}` }
      await stage.alert(change)
      await advance(MINUTE_MS)
      await stage.alert({ ...change, kind: 'resolved', reason: null })
      await advance(MINUTE_MS)
    }
    const whileFlapping = sentAt.filter((at) => at > 4 * MINUTE_MS)
    for (const [i, at] of whileFlapping.slice(1).entries()) {
      assert.ok(at - (whileFlapping[i] as number) >= 5 * MINUTE_MS, `messages at ${whileFlapping.join()}`)
    }
    assert.ok(sentAt.length <= 9, `${sentAt.length} messages about 26 changes`)
    await advance(5 * MINUTE_MS)
    assert.match(service.received.at(-1)?.body.title, /^Checkout is flapping: down \d+ times in (19|20) min, up now$/)
    const rows = await stage.database.read(execute(q.selectFrom('alerts').select(['outcome'])))
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      Array(26).fill('SENT'),
    )
    const ids = service.received.flatMap(({ body }) => body.alerts.map(({ id }: { id: string }) => id))
    assert.equal(new Set(ids).size, 26, 'each alert is in one message')
  })

  test('does not delay the outage of another monitor', async () => {
    await using stage = await newHookTest(engine)
    const { service } = stage
    for (let i = 0; i < 3; i += 1) {
      await stage.alert({ monitorId: 'mon_f', incidentId: `inc_${i}` })
      await stage.deliver()
      await stage.alert({ monitorId: 'mon_f', incidentId: `inc_${i}`, kind: 'resolved' })
      await stage.deliver()
    }
    const before = service.received.length
    await stage.alert({ monitorId: 'mon_other', incidentId: 'inc_other', subject: 'Blog' })
    await stage.deliver()
    assert.equal(service.received.length, before + 1)
    assert.match(service.received.at(-1)?.body.title, /^Blog is down/)
  })
})
