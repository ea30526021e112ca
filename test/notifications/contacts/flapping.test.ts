import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import type { Flapping } from '../../../src/notifications/contacts/flapping.ts'
import { groupAlerts } from '../../../src/notifications/contacts/group.ts'
import { holdFlapping } from '../../../src/notifications/contacts/hold-flapping.ts'
import { mergeFlapping } from '../../../src/notifications/contacts/merge-flapping.ts'
import { composeMessage } from '../../../src/notifications/contacts/message.ts'
import type { Alert } from '../../../src/notifications/contacts/types.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { newAlertingTest } from './alerting.ts'
import { AT, alert, FROM } from './send.ts'
import { startService } from './service.ts'

const flapping = (fields: Partial<Flapping> = {}): Flapping => ({
  monitorId: 'mon_f',
  outages: 6,
  degradations: 0,
  since: AT - 20 * MINUTE_MS,
  until: AT,
  lastMessageAt: AT - 2 * MINUTE_MS,
  ...fields,
})

const own = (fields: Partial<Alert> = {}) => alert({ monitorId: 'mon_f', ...fields })

test('alerts of a flapping monitor wait until five minutes after the last message about it', () => {
  const down = own()
  assert.deepEqual(holdFlapping([down, alert()], [flapping()], AT), [{ alert: down, until: AT + 3 * MINUTE_MS }])
  assert.deepEqual(holdFlapping([down], [flapping({ lastMessageAt: AT - 5 * MINUTE_MS })], AT), [])
  assert.deepEqual(holdFlapping([down], [flapping({ lastMessageAt: null })], AT), [])
  assert.deepEqual(holdFlapping([own({ kind: 'certificate_expiring' })], [flapping()], AT), [])
})

test('a degradation that flaps does not delay an outage', () => {
  const slow = flapping({ outages: 1, degradations: 3 })
  const degraded = own({ kind: 'degraded', incidentId: null })
  assert.equal(holdFlapping([degraded], [slow], AT).length, 1)
  assert.equal(holdFlapping([degraded, own()], [slow], AT).length, 0)
})

const summary = (alerts: readonly Alert[], one: Flapping): string =>
  composeMessage({ alerts, ongoing: [], flapping: [one], from: FROM, at: AT }).title

test('the problems of a flapping monitor are one line with its current state', () => {
  const ended = Array.from({ length: 3 }, (_, i) => own({ endedAt: AT + i + 10, at: AT + i }))
  const other = alert({ subject: 'Blog' })
  const entries = mergeFlapping(groupAlerts([...ended, other]), [flapping()])
  assert.deepEqual(
    entries.map(({ state, alerts }) => [state, alerts.length]),
    [
      ['down', 1],
      ['up', 3],
    ],
  )
  assert.equal(summary(ended, flapping()), 'Checkout went down 6 times in 20 minutes, is up now')
  assert.equal(summary([...ended, own()], flapping()), 'Checkout went down 6 times in 20 minutes, is down now')
  const mixed = flapping({ outages: 1, degradations: 3, since: AT - 20_000 })
  const text = 'Checkout went down once and was degraded 3 times in 1 minute, is degraded now'
  assert.equal(summary([own({ kind: 'degraded', incidentId: null })], mixed), text)
})

forEachEngine('a monitor that flaps', (engine) => {
  test('sends at most one message in five minutes, then a summary, and every alert is recorded', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await startService(() => ({ status: 200 }))
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a')
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
    assert.match(service.received.at(-1)?.body.title, /^Checkout went down \d+ times in (19|20) minutes, is up now$/)
    const rows = await stage.database.read(execute(q.selectFrom('alerts').select(['outcome'])))
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      Array(26).fill('SENT'),
    )
    const ids = service.received.flatMap(({ body }) => body.alerts.map(({ id }: { id: string }) => id))
    assert.equal(new Set(ids).size, 26, 'each alert is in one message')
  })

  test('does not delay the outage of another monitor', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await startService(() => ({ status: 200 }))
    await stage.contact('WEBHOOK', { url: service.url })
    await stage.startNode('a')
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
