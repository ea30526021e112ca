import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareMonitor, compareTool, rulesOf, type SeenIncident, type Span } from '../../src/shadow-runs/compare.ts'
import type { OurState, TheirState } from '../../src/shadow-runs/verdicts.ts'

const MINUTE_MS = 60_000
/** Two intervals, a repeat and two polls: 3 min 2 s. */
const rules = rulesOf({
  type: 'HTTP',
  intervalSeconds: 60,
  graceSeconds: 0,
  confirmation: undefined,
  confirmDelaysSeconds: [2],
})

const states: Readonly<Record<string, TheirState | OurState>> = {
  U: 'UP',
  D: 'DOWN',
  P: 'PAUSED',
  M: 'MAINTENANCE',
  N: 'PENDING',
  S: 'SILENT',
  A: 'ALL_DOWN',
  X: 'UNKNOWN',
}

/** `U/D 5`: they said UP and we said DOWN, for 5 minutes. The last one still is so if it has no duration. */
function spansOf(text: string): Span[] {
  let at = 0
  return text.split(', ').map((part) => {
    const [, their = '', our = '', minutes] = /^(.)\/(.)(?: (\d+))?$/.exec(part) ?? assert.fail(part)
    const fromAt = at
    at += Number(minutes ?? 0) * MINUTE_MS
    return {
      fromAt,
      untilAt: minutes === undefined ? null : at,
      theirs: (states[their] ?? assert.fail(part)) as TheirState,
      ours: (states[our] ?? assert.fail(part)) as OurState,
    }
  })
}

const incident = (causeCode: string): SeenIncident => ({
  id: 'inc_1',
  startedAt: 10 * MINUTE_MS,
  resolvedAt: null,
  causeCode,
})

interface Case {
  readonly name: string
  readonly spans: string
  readonly expected: readonly string[]
  readonly cause?: string
  readonly type?: string
  readonly nowMinutes?: number
}

const cases: readonly Case[] = [
  { name: 'the same verdict all the time', spans: 'U/U', expected: [] },
  { name: 'both down, we one interval later', spans: 'U/U 10, D/U 2, D/D 10, U/U', expected: [] },
  { name: 'both down, we much later', spans: 'U/U 10, D/U 9, D/D 10, U/U', expected: ['LATER_HERE 10'] },
  { name: 'both down, we much earlier', spans: 'U/U 10, U/D 9, D/D 10, U/U', expected: ['EARLIER_HERE 10'] },
  { name: 'both up again, we much later', spans: 'D/D 10, U/D 9, U/U', expected: ['LATER_HERE 10'] },
  { name: 'both up again, we much earlier', spans: 'D/D 10, D/U 9, U/U', expected: ['EARLIER_HERE 10'] },
  { name: 'down there for one check', spans: 'U/U 10, D/U 1, U/U', expected: ['ONE_FAILED_TRY 10'] },
  { name: 'an outage that only they saw', spans: 'U/U 10, D/U 20, U/U', expected: ['ONLY_THERE 10'] },
  { name: 'a difference that may still end in agreement', spans: 'U/U 10, D/U', nowMinutes: 12, expected: [] },
  { name: 'a difference that lasts', spans: 'U/U 10, D/U', nowMinutes: 20, expected: ['ONLY_THERE 10'] },
  {
    name: 'an outage that only we saw',
    spans: 'U/U 10, U/D 20, U/U',
    cause: 'STATUS',
    expected: ['ONLY_HERE 10 inc_1'],
  },
  { name: 'a short one', spans: 'U/U 10, U/D 1, U/U', cause: 'TIMEOUT', expected: ['SHORT_HERE 10 inc_1'] },
  { name: 'an expired certificate', spans: 'U/U 10, U/D 20, U/U', cause: 'TLS', expected: ['CERTIFICATE 10 inc_1'] },
  {
    name: 'a failed assertion',
    spans: 'U/U 10, U/D',
    cause: 'KEYWORD',
    nowMinutes: 40,
    expected: ['ASSERTION 10 inc_1'],
  },
  {
    name: 'a job that reports to them only',
    spans: 'U/U 10, U/D 400',
    type: 'CRON',
    cause: 'HEARTBEAT_MISSED',
    expected: ['HEARTBEAT 10 inc_1'],
  },
  { name: 'our checks in doubt while they say down', spans: 'U/U 10, D/X 5, U/U', expected: ['IN_DOUBT 10'] },
  { name: 'our checks in doubt while they say up', spans: 'U/U 10, U/X 5, U/U', expected: [] },
  { name: 'maintenance there', spans: 'U/U 10, M/U 30, U/U', expected: ['MAINTENANCE_THERE 10'] },
  { name: 'maintenance here', spans: 'U/U 10, D/M 30, U/U', expected: ['MAINTENANCE_HERE 10'] },
  { name: 'maintenance in both, they a minute earlier', spans: 'U/U 10, M/U 1, M/M 30, U/U', expected: [] },
  { name: 'paused there', spans: 'U/U 10, P/U 30', expected: ['PAUSED_THERE 10'] },
  { name: 'paused here', spans: 'U/U 10, U/P 30', expected: ['PAUSED_HERE 10'] },
  { name: 'paused in both', spans: 'P/P', expected: [] },
  { name: 'they do not answer while we see an outage', spans: 'U/U 10, S/D 30, U/U', expected: [] },
  { name: 'no verdict yet', spans: 'N/U 30, U/N 30, U/U', expected: [] },
  { name: 'a pause of Pharos within a difference', spans: 'U/U 10, D/U 2, D/U 30, U/U', expected: ['ONLY_THERE 10'] },
]

describe('a monitor', () => {
  for (const { name, spans, expected, cause, type = 'HTTP', nowMinutes = 1000 } of cases) {
    test(`${name}: ${expected.join(', ') || 'agreement'}`, () => {
      const incidents = cause === undefined ? [] : [incident(cause)]
      const found = compareMonitor(
        spansOf(spans),
        incidents,
        { ...rules, isHeartbeat: type === 'CRON' },
        nowMinutes * MINUTE_MS,
      )
      assert.deepEqual(
        found.map(({ reason, fromAt, incidentId }) => `${reason} ${fromAt / MINUTE_MS} ${incidentId ?? ''}`.trim()),
        expected,
      )
    })
  }
})

test('the other tool itself: silence, and all of its monitors down at once', () => {
  assert.deepEqual(
    compareTool(spansOf('U/U 10, S/U 5, U/U 10, A/U 5, U/U')).map(({ reason, fromAt }) => [reason, fromAt / MINUTE_MS]),
    [
      ['NOT_RUNNING', 10],
      ['ALL_DOWN_THERE', 25],
    ],
  )
})

test('the tolerance grows with the interval, the repeats and the recovery of the monitor', () => {
  const timing = { type: 'HTTP', intervalSeconds: 60, graceSeconds: 600, confirmDelaysSeconds: [1, 2] }
  const confirmation = { failureRetries: 3, retryDelaysSeconds: [10], recoverySuccesses: 2 }
  assert.equal(rulesOf({ ...timing, confirmation: undefined }).toleranceMs, 183_000)
  assert.equal(rulesOf({ ...timing, confirmation }).toleranceMs, 270_000)
  assert.equal(rulesOf({ ...timing, type: 'CRON', confirmation: undefined }).toleranceMs, 663_000)
})

test('each disagreement has the incident of its time', () => {
  const at = (id: string, from: number, to: number | null): SeenIncident => ({
    id,
    startedAt: from * MINUTE_MS,
    resolvedAt: to === null ? null : to * MINUTE_MS,
    causeCode: 'STATUS',
  })
  const incidents = [at('before', 1, 2), at('first', 10, 30), at('between', 35, 36), at('second', 50, null)]
  const found = compareMonitor(spansOf('U/U 10, U/D 20, U/U 20, U/D'), incidents, rules, 80 * MINUTE_MS)
  assert.deepEqual(
    found.map(({ incidentId }) => incidentId),
    ['first', 'second'],
  )
})
