import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { type Span, spans } from '../../../src/monitoring/uptime/read-periods.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, type MonitorBody, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'
import { daysOf, numOf, statsOver } from '../checks/stored-history.ts'

const START = Date.UTC(2025, 0, 1)
const INTERVAL_SECONDS = 86_400
/** How long a state is valid after a check: two intervals and two minutes. */
const VALID_MS = 2 * INTERVAL_SECONDS * 1000 + 2 * MINUTE_MS

/** A check in a year: on which day, at what hour, and what it found. */
type Checked = readonly [day: number, hour: number, state: 'UP' | 'DOWN']

const year: readonly Checked[] = [
  [0, 0, 'UP'],
  [1, 12, 'DOWN'],
  [2, 0, 'UP'],
  // No checks for months.
  [280, 7, 'DOWN'],
  [281, 0, 'UP'],
  [300, 0, 'UP'],
  [301, 0, 'DOWN'],
  [301, 6, 'UP'],
  [340, 0, 'UP'],
  [341, 0, 'DOWN'],
  [341, 12, 'UP'],
  [359, 23, 'UP'],
  [361, 0, 'UP'],
  [362, 0, 'DOWN'],
  [362, 6, 'UP'],
  [363, 18, 'UP'],
  [364, 0, 'DOWN'],
  [364, 3, 'UP'],
]
/** Within an hour and a day, so that no span begins at the start of one. */
const NOW = START + 364 * DAY_MS + 12.5 * HOUR_MS + 30_000

const timeOf = ([day, hour]: Checked): number => START + day * DAY_MS + hour * HOUR_MS

/** The expected totals between two times, computed from the list of checks alone. */
function expectedBetween(from: number, to: number) {
  const spent = { UP: 0, DOWN: 0 }
  for (const [i, checked] of year.entries()) {
    const at = timeOf(checked)
    const next = year[i + 1]
    const until = Math.min(next === undefined ? NOW : timeOf(next), at + VALID_MS, to)
    spent[checked[2]] += Math.max(0, until - Math.max(at, from))
  }
  const within = year.filter((checked) => timeOf(checked) >= from && timeOf(checked) < to)
  const failures = within.filter(([, , state]) => state === 'DOWN').length
  return { upMs: spent.UP, downMs: spent.DOWN, checks: within.length, failures }
}

async function moveTo(clock: HandClock, at: number): Promise<void> {
  clock.advance(at - clock.now())
}

async function check(client: Client, target: HttpTarget, id: string, state: 'UP' | 'DOWN'): Promise<MonitorBody> {
  target.status = state === 'UP' ? 200 : 503
  const answer = await client.post(`/monitors/${id}/check`, {})
  assert.deepEqual([answer.status, answer.body.state], [200, state])
  return answer.body
}

/** A monitor that is checked once a day, and by the test. */
async function daily(client: Client, target: HttpTarget): Promise<MonitorBody> {
  return createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: INTERVAL_SECONDS }))
}

forEachEngine('a year of checks', (engine) => {
  const clock = new HandClock(START)
  const api = useApi(engine, { clock })

  test('uptime over 24h, 7d, 30d, 90d and 365d is up time over up and down time, to the millisecond', async (t) => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await daily(client, target)
    const num = await numOf(api.server, id)
    for (const checked of year) {
      await moveTo(clock, timeOf(checked))
      await check(client, target, id, checked[2])
    }
    await moveTo(clock, NOW)
    for (const span of Object.keys(spans) as Span[]) {
      // Up to a week the span begins with an hour, beyond that with a day.
      const unit = span === '24h' || span === '7d' ? HOUR_MS : DAY_MS
      const from = Math.floor((NOW - spans[span]) / unit) * unit
      const { totals, uptime } = await statsOver(api.server, num, span, NOW)
      const { upMs, downMs, checks, failures } = totals
      const expected = expectedBetween(from, NOW)
      assert.deepEqual({ upMs, downMs, checks, failures }, expected, span)
      assert.equal(uptime, expected.upMs / (expected.upMs + expected.downMs), span)
      assert.deepEqual([totals.pausedMs, totals.maintenanceMs, totals.degradedMs], [0, 0, 0], span)
      t.diagnostic(`${span}: ${((uptime ?? 0) * 100).toFixed(3)} %`)
    }
    // One of them computed by hand: down from 0:00 to 3:00.
    const { uptime } = await statsOver(api.server, num, '24h', NOW)
    assert.equal(uptime, 1 - (3 * HOUR_MS) / (24.5 * HOUR_MS + 30_000))
    await expectDays(num, 90)
    await expectDays(num, 365)
    await expectDays(num, 1)
    // Long lists are sorted by the uptime of 30 days up to the last full hour.
    const states = q.selectFrom('monitor_states').select('uptime').where('num', '=', num)
    const [stored] = await api.server.running.database.read(execute(states))
    const { upMs, downMs } = expectedBetween(START + 335 * DAY_MS, START + 364 * DAY_MS + 3 * HOUR_MS)
    assert.equal(stored?.uptime, upMs / (upMs + downMs))
  })

  /** There is a period for each day with known time, with exactly the expected totals. */
  async function expectDays(num: number, days: number): Promise<void> {
    const today = Math.floor(NOW / DAY_MS) * DAY_MS
    const expected = Array.from({ length: days }, (_, i) => today - (days - 1 - i) * DAY_MS)
      .map((startAt) => ({ startAt, ...expectedBetween(startAt, Math.min(startAt + DAY_MS, NOW)) }))
      .filter(({ upMs, downMs }) => upMs + downMs > 0)
      .map(({ startAt, upMs, downMs }) => ({ startAt, upMs, downMs }))
    const periods = await daysOf(api.server, num, days, NOW)
    assert.deepEqual(
      periods.map(({ startAt, totals: { upMs, downMs } }) => ({ startAt, upMs, downMs })),
      expected,
    )
  }

  test('a monitor that was never checked has no uptime, and statistics do not mix monitors', async () => {
    await using target = await startHttpTarget()
    const [own, other] = [await api.tenant(), await api.tenant()]
    const [fresh, busy] = [await daily(own.client, target), await daily(other.client, target)]
    await check(other.client, target, busy.id, 'UP')
    clock.advance(HOUR_MS)
    for (const span of Object.keys(spans) as Span[]) {
      const { uptime, p50Ms, p95Ms, totals } = await statsOver(api.server, await numOf(api.server, fresh.id), span, NOW)
      assert.deepEqual([uptime, p50Ms, p95Ms, totals.checks], [null, null, null, 0])
    }
    const { totals } = await statsOver(api.server, await numOf(api.server, busy.id), '24h', clock.now())
    assert.deepEqual([totals.upMs, totals.checks], [HOUR_MS, 1])
  })
})

forEachEngine('time that does not count', (engine) => {
  const clock = new HandClock(START)
  const api = useApi(engine, { clock })

  test('paused time is neither up nor down, nor is the time from the resume to the next check', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await daily(client, target)
    const num = await numOf(api.server, id)
    const stats = (span: Span) => statsOver(api.server, num, span, clock.now())
    await check(client, target, id, 'UP')
    clock.advance(6 * HOUR_MS)
    await check(client, target, id, 'DOWN')
    clock.advance(2 * HOUR_MS)
    assert.equal((await client.post(`/monitors/${id}/pause`, {})).body.state, 'PAUSED')
    clock.advance(90 * MINUTE_MS)
    const paused = await stats('24h')
    assert.deepEqual(
      [paused.totals.pausedMs, paused.totals.downMs],
      [90 * MINUTE_MS, 2 * HOUR_MS],
      'without waiting for the resume',
    )
    assert.equal(paused.uptime, 0.75)
    await moveTo(clock, START + 40 * DAY_MS)
    assert.equal((await stats('90d')).uptime, 0.75)
    assert.equal((await stats('30d')).uptime, null, 'all of it was paused')
    assert.equal((await stats('30d')).totals.pausedMs, 30 * DAY_MS)
    assert.equal((await client.post(`/monitors/${id}/resume`, {})).body.state, 'PENDING')
    clock.advance(HOUR_MS)
    await check(client, target, id, 'UP')
    clock.advance(4 * HOUR_MS)
    const { totals, uptime } = await stats('90d')
    const pausedMs = 40 * DAY_MS - 8 * HOUR_MS
    assert.deepEqual(
      [totals.upMs, totals.downMs, totals.pausedMs, totals.checks, totals.failures],
      [10 * HOUR_MS, 2 * HOUR_MS, pausedMs, 3, 1],
    )
    assert.equal(uptime, 10 / 12)
    const periods = await daysOf(api.server, num, 90, clock.now())
    assert.equal(periods.length, 41)
    assert.deepEqual(
      periods.map(({ totals: { upMs, downMs, pausedMs } }) => upMs + downMs + pausedMs),
      [...Array(40).fill(DAY_MS), 4 * HOUR_MS],
    )
  })

  test('a state is valid for two intervals and two minutes; time after that counts as unknown', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: 60 }))
    const num = await numOf(api.server, id)
    await check(client, target, id, 'DOWN')
    clock.advance(HOUR_MS)
    await check(client, target, id, 'UP')
    clock.advance(MINUTE_MS)
    const { totals } = await statsOver(api.server, num, '24h', clock.now())
    assert.deepEqual([totals.downMs, totals.upMs], [4 * MINUTE_MS, MINUTE_MS])
    const exact = `from=${new Date(clock.now() - 31 * MINUTE_MS).toISOString()}`
    for (const [query, minutes] of [
      ['span=24h', 61],
      [exact, 31],
    ] as const) {
      const [day] = (await client.get(`/monitors/${id}/uptime?${query}`)).body.data
      const unknownMs = minutes * MINUTE_MS - day.upMs - day.downMs
      assert.ok(unknownMs > 0)
      assert.deepEqual([day.unknownMs, day.unknownReasons], [unknownMs, [{ reason: 'NOT_RUNNING', ms: unknownMs }]])
      assert.deepEqual(
        [day.uptimeAtLeast, day.uptimeAtMost],
        [day.upMs / (minutes * MINUTE_MS), (day.upMs + unknownMs) / (minutes * MINUTE_MS)],
      )
    }
  })

  test('DEGRADED time counts as up, and is also counted separately', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const settings = { url: target.url, intervalSeconds: INTERVAL_SECONDS, degradedThresholdMs: 1, degradedSamples: 1 }
    const { id } = await createMonitor(client, smallest('HTTP', settings))
    const num = await numOf(api.server, id)
    const release = target.hold()
    const visited = target.visited()
    const asked = client.post(`/monitors/${id}/check`, {})
    await visited
    setTimeout(release, 50)
    assert.equal((await asked).body.state, 'DEGRADED')
    clock.advance(5 * HOUR_MS)
    const { totals, uptime } = await statsOver(api.server, num, '24h', clock.now())
    assert.deepEqual([totals.upMs, totals.degradedMs, uptime], [5 * HOUR_MS, 5 * HOUR_MS, 1])
  })
})
