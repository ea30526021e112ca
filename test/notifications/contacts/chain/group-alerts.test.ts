import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { groupAlerts } from '../../../../src/notifications/contacts/chain/group-alerts.ts'
import { composeMessage } from '../../../../src/notifications/contacts/message.ts'
import { type Alert, type AlertKind, alertKinds } from '../../../../src/notifications/contacts/types.ts'
import { reason } from '../../../../src/reasons/reason.ts'
import { AT, alert, FROM, messageOf, READER } from '../send.ts'

/** The alerts of one monitor: problems start and end in turn. */
const story = fc.array(fc.constantFrom<AlertKind>(...alertKinds), { maxLength: 12 }).map((wishes) => {
  let incident: string | null = null
  let isDegraded = false
  let count = 0
  return wishes.flatMap((kind): { kind: AlertKind; incident: string | null }[] => {
    if (kind === 'opened' && incident === null) incident = `inc_${++count}`
    else if (kind === 'opened') return []
    if (kind === 'resolved') {
      const ended = incident
      incident = null
      isDegraded &&= ended === null
      return ended === null ? [] : [{ kind, incident: ended }]
    }
    if (kind === 'degraded' || kind === 'recovered') {
      if (isDegraded === (kind === 'degraded')) return []
      isDegraded = kind === 'degraded'
    }
    return [{ kind, incident: kind === 'opened' ? incident : null }]
  })
})

/** The alerts of several monitors, interleaved. */
const stories = fc.tuple(fc.array(story, { maxLength: 5 }), fc.integer()).map(([all, seed]) => {
  const alerts = all.flatMap((its, m) =>
    its.map(({ kind, incident }, i) =>
      alert({
        kind,
        monitorId: `mon_${m}`,
        incidentId: incident && `${incident}_${m}`,
        subject: `m${m}`,
        at: AT + i * 1000 + ((m * 7919 + Math.abs(seed)) % 997),
      }),
    ),
  )
  return alerts.sort((a, b) => a.at - b.at)
})

test('every alert is in exactly one entry', () => {
  fc.assert(
    fc.property(stories, (alerts) => {
      const grouped = groupAlerts(alerts).flatMap((entry) => entry.alerts)
      assert.deepEqual(grouped.map(({ id }) => id).sort(), alerts.map(({ id }) => id).sort())
    }),
  )
})

test('a monitor is down exactly if its last incident has not ended', () => {
  fc.assert(
    fc.property(stories, (alerts) => {
      const down = new Set(
        groupAlerts(alerts).flatMap(({ state, alert: its }) => (state === 'down' ? [its.incidentId] : [])),
      )
      const open = new Set<string | null>()
      for (const { kind, incidentId } of alerts) {
        if (kind === 'opened') open.add(incidentId)
        if (kind === 'resolved') open.delete(incidentId)
      }
      assert.deepEqual(down, open)
    }),
  )
})

test('no incident has two entries, and entries are sorted by urgency', () => {
  fc.assert(
    fc.property(stories, (alerts) => {
      const entries = groupAlerts(alerts)
      const incidents = entries.flatMap(({ alert: its }) => its.incidentId ?? [])
      assert.equal(new Set(incidents).size, incidents.length)
      const lastDown = entries.findLastIndex(({ state }) => state === 'down')
      const firstUp = entries.findIndex(({ state }) => state === 'up' || state === 'was_down')
      assert.ok(firstUp === -1 || lastDown < firstUp)
    }),
  )
})

test('a message has a title and an entry for each monitor', () => {
  fc.assert(
    fc.property(stories, (alerts) => {
      fc.pre(alerts.length > 0)
      const message = messageOf(alerts)
      assert.equal(message.entries.length, groupAlerts(alerts).length)
      assert.ok(message.title.length > 0 && message.title.length <= 150)
      assert.equal(
        message.severity === 'critical',
        message.entries.some(({ title }) => title.endsWith(' is down')),
      )
    }),
  )
})

function pair(fields: Partial<Alert>, ms: number): [Alert, Alert] {
  const opened = alert({ ...fields, kind: 'opened' })
  return [opened, alert({ ...opened, id: `${opened.id}-end`, kind: 'resolved', at: opened.at + ms, reason: null })]
}

test('down and up again before the first message is one entry', () => {
  const message = messageOf(pair({}, 3000))
  assert.equal(message.title, 'Checkout was down for 3 s')
  assert.deepEqual(message.entries[0]?.lines, [
    'HTTP 503 Service Unavailable (expected 2xx or 3xx)',
    'https://shop.example.com/checkout',
    '2:02:11 PM to 2:02:14 PM UTC',
    'Up now',
  ])
  assert.equal(message.severity, 'warning')
})

test('ongoing outages are named in one line after the new one', () => {
  const ongoing = ['Shop', 'Blog'].map((subject) => alert({ subject, messageId: 'ntc_0' }))
  const input = { alerts: [alert()], ongoing, resolvedThreads: [], from: FROM, reader: READER, at: AT }
  const message = composeMessage(input)
  assert.equal(message.title, 'Checkout is down')
  assert.deepEqual([message.entries.length, message.remarks], [1, ['Also still down: Shop and Blog']])
  assert.deepEqual([message.alerts.length, message.id], [1, 'ntc_1'])
  assert.deepEqual(
    message.openedThreads.map(({ key, title }) => [key, title]),
    [['ntc_1', 'Checkout is down']],
  )
})

test('the end of a reported problem gives its duration', () => {
  const message = messageOf([alert({ kind: 'resolved', at: AT + 125_000, beganAt: AT })])
  assert.equal(message.title, 'Checkout is up again after 2 min')
  assert.equal(message.severity, 'good')
})

test('the start of a problem that has ended since is not reported as ongoing', () => {
  assert.match(messageOf([alert({ endedAt: AT + 60_000 })]).title, /^Checkout was down for 1 min$/)
})

test('degraded and then down is down; up again after that is not degraded any more', () => {
  const monitorId = 'mon_x'
  const degraded = alert({ kind: 'degraded', monitorId, incidentId: null })
  const [opened, resolved] = pair({ monitorId, incidentId: 'inc_x', at: AT + 1000 }, 1000)
  assert.equal(messageOf([degraded, opened]).title, 'Checkout is down')
  assert.equal(messageOf([degraded, opened, resolved]).title, 'Checkout was down for 1 s')
  assert.equal(messageOf([degraded, resolved]).title, 'Checkout is up again')
})

test('up again but degraded, found by one check, are two entries', () => {
  const monitorId = 'mon_x'
  const [, resolved] = pair({ monitorId, incidentId: 'inc_x' }, 1000)
  const degraded = alert({ kind: 'degraded', monitorId, incidentId: null, at: resolved.at })
  for (const both of [
    [resolved, degraded],
    [degraded, resolved],
  ]) {
    assert.deepEqual(
      groupAlerts(both).map(({ state }) => state),
      ['degraded', 'up'],
    )
  }
})

test('a disabled endpoint is named by its URL, with the reason', () => {
  const subject = 'https://hooks.example.com/in'
  const { entries, title } = messageOf([
    alert({
      kind: 'endpoint_disabled',
      subject,
      monitorId: null,
      incidentId: null,
      target: 'we_1',
      reason: reason('endpoint_gone'),
    }),
  ])
  assert.equal(title, `The webhook to ${subject} was disabled`)
  assert.deepEqual(entries[0]?.lines, ['It returned 410 Gone'])
})
