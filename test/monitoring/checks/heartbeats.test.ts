import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Claim } from '../../../src/monitoring/checks/claim.ts'
import {
  type HeartbeatSignal,
  heartbeatSample,
  heartbeatsAfter,
  parseSignal,
} from '../../../src/monitoring/checks/heartbeat.ts'
import type { MonitorSettings } from '../../../src/monitoring/monitor-settings/schema.ts'
import {
  forNewType,
  type HeartbeatMemory,
  memoryText,
  readMemory,
  withoutSamples,
} from '../../../src/monitoring/monitor-states/memory.ts'
import { dueAfterChange, heartbeatDeadline, periodMs } from '../../../src/monitoring/monitor-states/schedule.ts'
import type { MonitorState } from '../../../src/monitoring/monitor-states/state.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, current, smallest } from '../../support/monitors.ts'
import { inEnglish } from '../../support/reasons.ts'

const NOW = Date.UTC(2025, 5, 1, 12)
const hourly = { type: 'CRON', intervalSeconds: 300, expectedPeriodSec: 3600, graceSeconds: 60 } as MonitorSettings
const HOUR_AND_GRACE = 3_660_000
const never: HeartbeatMemory = { lastSuccessAt: null, started: {}, failed: false }
const at = (lastSuccessAt: number): HeartbeatMemory => ({ ...never, lastSuccessAt })

const claimed = (state: MonitorState, heartbeats: HeartbeatMemory): Claim =>
  ({ settings: hourly, current: { state }, memory: { ...readMemory('{}', NOW), heartbeats } }) as unknown as Claim

const heartbeat = (signal: HeartbeatSignal, rid: string | null = null) => ({ signal, rid, body: null })
const success: HeartbeatSignal = { kind: 'success' }
const start: HeartbeatSignal = { kind: 'start' }

test('the period of a CRON monitor is its expected period, else its interval; of any other type its interval', () => {
  assert.equal(periodMs(hourly, NOW), 3_600_000)
  assert.equal(periodMs({ ...hourly, expectedPeriodSec: null }, NOW), 300_000)
  assert.equal(periodMs({ ...hourly, type: 'HTTP' }, NOW), 300_000)
})

test('a heartbeat is overdue a period and the grace after the last success, and never before the first one', () => {
  assert.equal(heartbeatDeadline(hourly, never), null)
  assert.equal(heartbeatDeadline(hourly, at(NOW)), NOW + HOUR_AND_GRACE)
  assert.equal(heartbeatDeadline({ ...hourly, graceSeconds: 0 }, at(NOW)), NOW + 3_600_000)
})

test('after a change a monitor is due at once, a CRON monitor at its deadline', () => {
  assert.equal(dueAfterChange({ ...hourly, type: 'HTTP' }, at(NOW - 5), NOW), NOW)
  assert.equal(dueAfterChange(hourly, at(NOW - 5), NOW), NOW - 5 + HOUR_AND_GRACE)
  assert.equal(dueAfterChange(hourly, never, NOW), null)
})

test('a check before the first heartbeat is inconclusive', () => {
  assert.equal(heartbeatSample(claimed('PENDING', never), NOW).outcome, 'inconclusive')
})

test('a check fails from the deadline on, to the millisecond, and names both times', () => {
  const deadline = NOW + HOUR_AND_GRACE
  assert.equal(heartbeatSample(claimed('UP', at(NOW)), deadline - 1).outcome, 'success')
  const missed = heartbeatSample(claimed('UP', at(NOW)), deadline)
  assert.ok(missed.outcome === 'failure' && missed.code === 'HEARTBEAT_MISSED')
  assert.match(inEnglish(missed.error), /since Jun 1, 2025, 12:00 PM UTC \(expected by Jun 1, 2025, 1:01 PM UTC\)/)
})

test('a monitor that missed its heartbeat is up again when a longer period moves the deadline past now', () => {
  assert.equal(heartbeatSample(claimed('DOWN', at(NOW)), NOW + 1).outcome, 'success')
})

test('a check before the deadline leaves a resumed monitor PENDING and one whose job failed DOWN', () => {
  assert.equal(heartbeatSample(claimed('PENDING', at(NOW)), NOW + 1).outcome, 'inconclusive')
  const failed = heartbeatSample(claimed('DOWN', { ...at(NOW), failed: true }), NOW + 1)
  assert.ok(failed.outcome === 'failure' && failed.code === 'HEARTBEAT_FAILED')
  assert.equal(heartbeatSample(claimed('DEGRADED', at(NOW)), NOW + 1).outcome, 'success')
})

test('the signal is parsed from the path after the token', () => {
  assert.deepEqual(parseSignal(undefined), success)
  assert.deepEqual(parseSignal(''), success)
  for (const kind of ['start', 'fail', 'log'] as const) assert.deepEqual(parseSignal(kind), { kind })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999 }), (code) => {
      assert.deepEqual(parseSignal(`${code}`), code <= 255 ? { kind: 'exit', code } : undefined)
    }),
  )
  for (const word of ['Start', '-1', '1.0', '0x1', '1e2', ' 1', '0000', 'success', '٣']) {
    assert.equal(parseSignal(word), undefined, word)
  }
})

test('the duration of a run is the time from its start to its end, paired by run id', () => {
  const started = heartbeatsAfter(
    heartbeatsAfter(never, heartbeat(start, 'a'), NOW).heartbeats,
    heartbeat(start),
    NOW + 10,
  ).heartbeats
  const a = heartbeatsAfter(started, heartbeat(success, 'a'), NOW + 100)
  assert.equal(a.durationMs, 100)
  assert.deepEqual(a.heartbeats, { failed: false, lastSuccessAt: NOW + 100, started: { '': NOW + 10 } })
  assert.equal(heartbeatsAfter(a.heartbeats, heartbeat({ kind: 'exit', code: 3 }), NOW + 110).durationMs, 100)
  assert.equal(heartbeatsAfter(a.heartbeats, heartbeat(success, 'b'), NOW + 110).durationMs, null)
  // If the clock went back the duration is 0, not negative.
  assert.equal(heartbeatsAfter(started, heartbeat(success, 'a'), NOW - 1).durationMs, 0)
})

test('successes move the deadline, failures do not; a log line changes nothing', () => {
  const before = at(NOW)
  assert.equal(heartbeatsAfter(before, heartbeat({ kind: 'exit', code: 0 }), NOW + 5).heartbeats.lastSuccessAt, NOW + 5)
  assert.equal(heartbeatsAfter(before, heartbeat({ kind: 'exit', code: 1 }), NOW + 5).heartbeats.lastSuccessAt, NOW)
  assert.equal(heartbeatsAfter(before, heartbeat({ kind: 'fail' }), NOW + 5).heartbeats.lastSuccessAt, NOW)
  assert.equal(heartbeatsAfter(before, heartbeat(start), NOW + 5).heartbeats.lastSuccessAt, NOW)
  assert.deepEqual(heartbeatsAfter(before, heartbeat({ kind: 'log' }), NOW + 5), {
    heartbeats: before,
    durationMs: null,
  })
})

test('if the first report is a failure the deadline counts from it', () => {
  assert.equal(heartbeatsAfter(never, heartbeat({ kind: 'fail' }), NOW).heartbeats.lastSuccessAt, NOW)
  assert.equal(heartbeatsAfter(never, heartbeat(start), NOW).heartbeats.lastSuccessAt, null)
})

test('of runs that never end the latest twenty are kept, whatever their ids are', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 60 }), (rids) => {
      const heartbeats = rids.reduce(
        (before, rid, i) => heartbeatsAfter(before, heartbeat(start, rid), NOW + i).heartbeats,
        never,
      )
      assert.ok(Object.keys(heartbeats.started).length <= 20)
      const last = rids.at(-1)
      if (last !== undefined) {
        assert.equal(
          heartbeatsAfter(heartbeats, heartbeat(success, last), NOW + 1000).durationMs,
          1000 - (rids.length - 1),
        )
      }
    }),
  )
})

test('run ids that look like numbers are dropped by age too', () => {
  const rids = Array.from({ length: 30 }, (_, i) => `${100 - i}`)
  const heartbeats = rids.reduce(
    (before, rid, i) => heartbeatsAfter(before, heartbeat(start, rid), NOW + i).heartbeats,
    never,
  )
  assert.deepEqual(Object.keys(heartbeats.started).toSorted(), rids.slice(-20).toSorted())
})

test('a run id that names an inherited property of objects was not started', () => {
  for (const rid of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    assert.equal(heartbeatsAfter(never, heartbeat(success, rid), NOW).durationMs, null)
    const { heartbeats } = heartbeatsAfter(never, heartbeat(start, rid), NOW)
    assert.equal(heartbeatsAfter(heartbeats, heartbeat(success, rid), NOW + 7).durationMs, 7)
    assert.deepEqual(heartbeatsAfter(heartbeats, heartbeat(success, rid), NOW + 7).heartbeats.started, {})
  }
})

test('a memory survives being stored, and a new type clears its heartbeats', () => {
  const memory = { ...readMemory('{}', NOW), heartbeats: at(NOW), announcedExpiry: 'aa', samples: [1] }
  assert.deepEqual(readMemory(memoryText(memory), NOW + 5), memory)
  // A certificate is announced once, even if the monitor is edited.
  assert.equal(withoutSamples(memory).announcedExpiry, 'aa')
  assert.deepEqual(withoutSamples(memory).samples, [])
  assert.deepEqual(withoutSamples(memory).heartbeats, at(NOW))
  assert.deepEqual(forNewType(memory).heartbeats, never)
})

forEachEngine('the heartbeat URL of a job', (engine) => {
  const api = useApi(engine)

  test('success is UP, a failing exit code is DOWN at once, start and end give the response time', async () => {
    const { client } = await api.tenant()
    const { id, heartbeatUrl } = await createMonitor(client, smallest('CRON'))
    const stateAfter = async (word: string) => {
      assert.equal((await fetch(`${heartbeatUrl}${word}`, { method: 'POST', body: 'log' })).status, 200, word)
      return (await current(client, id)).state
    }
    assert.equal(await stateAfter('/start?rid=a'), 'PENDING')
    assert.equal(await stateAfter('?rid=a'), 'UP')
    assert.notEqual((await current(client, id)).lastResponseMs, null)
    assert.equal(await stateAfter('/3'), 'DOWN')
    assert.equal(await stateAfter('/0'), 'UP')
    assert.equal((await fetch(`${heartbeatUrl}/256`)).status, 404)
    assert.equal((await fetch(`${api.server.url}/heartbeat/nobody`)).status, 404)
    await client.post(`/monitors/${id}/pause`, {})
    assert.equal(await stateAfter('/fail'), 'PAUSED')
  })
})
