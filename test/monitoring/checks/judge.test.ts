import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { type ConclusiveSample, type JudgeInput, judge, type Rules } from '../../../src/monitoring/checks/judge.ts'
import { words } from '../../support/reasons.ts'

const NOW = Date.UTC(2025, 5, 1)
const fresh: JudgeInput = { state: 'UP', samples: [], hasIncident: false, recoveries: 0, announcedExpiry: null }
const plain: Rules = {
  type: 'HTTP',
  degradedThresholdMs: null,
  degradedThresholdMode: 'LAST',
  degradedSamples: 3,
  sslExpiryThresholdDays: 14,
}
const failure: ConclusiveSample = { outcome: 'failure', code: 'CONNECT', error: words('refused'), kind: 'connection' }
const after = (responseMs: number): ConclusiveSample => ({ outcome: 'success', responseMs })

const threshold = fc.integer({ min: 1, max: 1_000 })
const wanted = fc.integer({ min: 1, max: 100 })
/** Response times and failures, in order. */
const history = fc.array(fc.option(fc.integer({ min: 0, max: 2_000 }), { freq: 5 }), { minLength: 1, maxLength: 150 })

/** Judges the checks in turn and returns the last verdict. */
function judged(times: readonly (number | null)[], rules: Rules): string {
  let before: JudgeInput = { ...fresh, state: 'PENDING' }
  for (const ms of times) {
    const verdict = judge(before, ms === null ? failure : after(ms), rules, NOW, false)
    assert.ok(verdict.samples.length <= rules.degradedSamples)
    before = {
      ...before,
      state: verdict.state,
      samples: verdict.samples,
      hasIncident: verdict.incident === 'open' || verdict.incident === 'continue',
    }
  }
  return before.state
}

const successes = (times: readonly (number | null)[], count: number): number[] =>
  times.filter((ms) => ms !== null).slice(-count)

test('LAST: DEGRADED when the latest successes are all above the threshold, UP with one at or below it', () => {
  fc.assert(
    fc.property(history, threshold, fc.integer({ min: 1, max: 5 }), (times, degradedThresholdMs, degradedSamples) => {
      const latest = successes(times, degradedSamples)
      const slow = latest.length === degradedSamples && latest.every((ms) => ms > degradedThresholdMs)
      const expected = times.at(-1) === null ? 'DOWN' : slow ? 'DEGRADED' : 'UP'
      assert.equal(judged(times, { ...plain, degradedThresholdMs, degradedSamples }), expected)
    }),
  )
})

test('P95: nearest rank over the latest successes, once there are as many as asked for', () => {
  fc.assert(
    fc.property(history, threshold, wanted, (times, degradedThresholdMs, degradedSamples) => {
      const latest = successes(times, degradedSamples)
      // Nearest rank: the smallest time that at least 95 % of them do not exceed.
      const fitting = latest.filter((ms) => latest.filter((other) => other <= ms).length * 100 >= latest.length * 95)
      const slow = latest.length === degradedSamples && Math.min(...fitting) > degradedThresholdMs
      const expected = times.at(-1) === null ? 'DOWN' : slow ? 'DEGRADED' : 'UP'
      const rules = { ...plain, degradedThresholdMs, degradedSamples, degradedThresholdMode: 'P95' as const }
      assert.equal(judged(times, rules), expected)
    }),
  )
})

test('P95 of 20: one slow answer is within the bounds, two are not', () => {
  const rules = { ...plain, degradedThresholdMs: 100, degradedSamples: 20, degradedThresholdMode: 'P95' as const }
  const quick: number[] = Array(20).fill(50)
  assert.equal(judged([...quick, 500], rules), 'UP')
  assert.equal(judged([...quick, 500, 500], rules), 'DEGRADED')
  assert.equal(judged([...Array(19).fill(500)], rules), 'UP')
  assert.equal(judged([...Array(20).fill(500)], rules), 'DEGRADED')
})

test('exactly the threshold is not above it', () => {
  const rules = { ...plain, degradedThresholdMs: 100, degradedSamples: 1 }
  assert.equal(judged([100], rules), 'UP')
  assert.equal(judged([101], rules), 'DEGRADED')
})

test('without a threshold no response is slow, and no samples are kept', () => {
  const verdict = judge({ ...fresh, samples: [1, 2] }, after(60_000), plain, NOW, false)
  assert.equal(verdict.state, 'UP')
  assert.deepEqual(verdict.samples, [])
})

test('an outage ends after as many successes in a row as the monitor needs', () => {
  const rules = { ...plain, recoverySuccesses: 3 }
  let before: JudgeInput = { ...fresh, state: 'DOWN', hasIncident: true }
  const seen = [after(1), after(1), failure, after(1), after(1), after(1), after(1)].map((sample) => {
    const { state, incident, recoveries } = judge(before, sample, rules, NOW, false)
    before = { ...before, state, recoveries, hasIncident: incident === 'continue' || incident === 'open' }
    return `${state} ${incident}`
  })
  assert.deepEqual(seen, [...Array(5).fill('DOWN continue'), 'UP resolve', 'UP none'])
  const resumed = { ...fresh, state: 'PENDING', hasIncident: true } as const
  assert.equal(judge(resumed, after(1), rules, NOW, false).state, 'DOWN', 'an incident that is open after a pause')
  assert.equal(judge({ ...fresh, state: 'PENDING' }, after(1), rules, NOW, false).state, 'UP')
})

test('a failure is DOWN and opens an incident; more failures continue it; the first success resolves it', () => {
  assert.deepEqual(judge(fresh, failure, plain, NOW, false), {
    state: 'DOWN',
    degradedBy: [],
    samples: [],
    incident: 'open',
    recoveries: 0,
    expiring: null,
  })
  assert.equal(judge({ ...fresh, hasIncident: true }, failure, plain, NOW, false).incident, 'continue')
  assert.equal(judge({ ...fresh, hasIncident: true }, after(1), plain, NOW, false).incident, 'resolve')
  assert.equal(judge(fresh, after(1), plain, NOW, false).incident, 'none')
})

test('maintenance opens no incident, lets an open one continue, and a success inside it resolves one', () => {
  assert.equal(judge(fresh, failure, plain, NOW, true).incident, 'none')
  assert.equal(judge(fresh, failure, plain, NOW, true).state, 'DOWN')
  assert.equal(judge({ ...fresh, hasIncident: true }, failure, plain, NOW, true).incident, 'continue')
  assert.equal(judge({ ...fresh, hasIncident: true }, after(1), plain, NOW, true).incident, 'resolve')
  // Still failing after the maintenance: the incident opens.
  assert.equal(judge({ ...fresh, state: 'DOWN' }, failure, plain, NOW, false).incident, 'open')
})

test('an incident is opened by failures only, and never while one is open', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.boolean(), (hasIncident, failed, inMaintenance) => {
      const { state, incident } = judge(
        { ...fresh, hasIncident },
        failed ? failure : after(1),
        plain,
        NOW,
        inMaintenance,
      )
      assert.equal(state === 'DOWN', failed)
      assert.equal(incident === 'open', failed && !hasIncident && !inMaintenance)
      assert.equal(incident === 'resolve', !failed && hasIncident)
    }),
  )
})

const expiringIn = (days: number): ConclusiveSample => ({
  outcome: 'success',
  responseMs: 5,
  certificate: { fingerprint: 'aa', expiresAt: NOW + days * DAY_MS },
})

test('SSL and DOMAIN are DEGRADED from the threshold on; HTTP and KEYWORD keep their state, but the expiry is announced', () => {
  for (const type of ['SSL', 'DOMAIN', 'HTTP', 'KEYWORD'] as const) {
    const rules = { ...plain, type }
    const byExpiry = type === 'SSL' || type === 'DOMAIN'
    const within = judge(fresh, expiringIn(14), rules, NOW, false)
    assert.equal(within.state, byExpiry ? 'DEGRADED' : 'UP', type)
    assert.equal(within.expiring?.fingerprint, 'aa')
    assert.equal(within.incident, 'none')
    const before = judge(fresh, expiringIn(14.001), rules, NOW, false)
    assert.equal(before.state, 'UP')
    assert.equal(before.expiring, null)
  }
})

test('a certificate is announced once, its successor once more, and the state stays DEGRADED meanwhile', () => {
  const rules = { ...plain, type: 'SSL' as const }
  const again = judge({ ...fresh, announcedExpiry: 'aa' }, expiringIn(3), rules, NOW, false)
  assert.equal(again.expiring, null)
  assert.equal(again.state, 'DEGRADED')
  assert.equal(judge({ ...fresh, announcedExpiry: 'bb' }, expiringIn(3), rules, NOW, false).expiring?.fingerprint, 'aa')
})

test('an assertion with the severity DEGRADED degrades the monitor, and resolves an incident like any success', () => {
  const sample: ConclusiveSample = {
    outcome: 'success',
    responseMs: 5,
    degraded: words('$.db is "slow", expected "ok"'),
  }
  assert.partialDeepStrictEqual(judge(fresh, sample, plain, NOW, false), { state: 'DEGRADED', incident: 'none' })
  const down: JudgeInput = { ...fresh, state: 'DOWN', hasIncident: true }
  assert.partialDeepStrictEqual(judge(down, sample, plain, NOW, false), { state: 'DEGRADED', incident: 'resolve' })
})
