import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import {
  advance,
  progressAt,
  type Transition,
  type WindowProgress,
} from '../../../src/monitoring/maintenance/advance.ts'
import { phaseAt } from '../../../src/monitoring/maintenance-coverage/occurrences.ts'
import type { WindowTiming } from '../../../src/monitoring/maintenance-coverage/types.ts'
import { occurrencesUntil } from '../maintenance-coverage/calendar.ts'
import { at, daily, runsOf, timings } from '../maintenance-coverage/timings.ts'

/** The result of ticks at these times. */
function advanceThrough(
  timing: WindowTiming,
  savedAt: number,
  ticks: readonly number[],
): { progress: WindowProgress; transitions: Transition[] } {
  let progress = progressAt(timing, savedAt)
  const transitions: Transition[] = []
  for (const now of ticks) {
    const step = advance(timing, progress, now)
    progress = step.progress
    transitions.push(...step.transitions)
    assert.equal(progress.status, phaseAt(timing, now).status, 'the status follows the clock')
    assert.ok(progress.nextTransitionAt === null || progress.nextTransitionAt > now, 'no further transition is due')
  }
  return { progress, transitions }
}

test('ticks in time announce every start and end, once and in order', () => {
  fc.assert(
    fc.property(timings, fc.integer({ min: 0, max: 999 }), (timing, lateMs) => {
      const savedAt = timing.startsAt - DAY_MS
      const until = timing.startsAt + 60 * DAY_MS
      const transitions: Transition[] = []
      let progress = progressAt(timing, savedAt)
      while (progress.nextTransitionAt !== null && progress.nextTransitionAt <= until) {
        const step = advance(timing, progress, progress.nextTransitionAt + (lateMs % 2 === 0 ? 0 : 1))
        progress = step.progress
        transitions.push(...step.transitions)
      }
      const expected = runsOf(occurrencesUntil(timing, until + 65 * DAY_MS)).flatMap(({ startsAt, endsAt }) => [
        { event: 'maintenance.started', at: startsAt },
        { event: 'maintenance.completed', at: endsAt },
      ])
      const inTime = ({ at: moment }: { at: number }) => moment <= until
      assert.deepEqual(transitions.filter(inTime), expected.filter(inTime))
    }),
    { numRuns: 500 },
  )
})

test('with rare ticks starts and ends alternate, and each of them did happen', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 20 * DAY_MS }), { minLength: 1, maxLength: 15 })
  fc.assert(
    fc.property(timings, gaps, (timing, ms) => {
      let now = timing.startsAt - HOUR_MS
      const ticks = ms.map((gap) => {
        now += gap
        return now
      })
      const { transitions } = advanceThrough(timing, timing.startsAt - HOUR_MS, ticks)
      const runs = runsOf(occurrencesUntil(timing, now + 65 * DAY_MS))
      const bounds = new Set(runs.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]))
      const within = runs.flatMap(({ startsAt, endsAt }) => [{ startsAt, endsAt }])
      transitions.forEach(({ event, at: moment }, i) => {
        assert.equal(event, i % 2 === 0 ? 'maintenance.started' : 'maintenance.completed')
        if (event === 'maintenance.completed') assert.ok(bounds.has(moment), 'an end is the end of a run')
        // A run that is found in progress starts with its latest occurrence.
        else assert.ok(within.some(({ startsAt, endsAt }) => startsAt <= moment && moment < endsAt))
      })
      assert.ok(transitions.length <= 3 * ticks.length, 'of missed occurrences only the latest is announced')
    }),
    { numRuns: 500 },
  )
})

const START = Date.UTC(2026, 0, 1)
const everyDay: WindowTiming = { ...daily, ...at(START), timezone: 'UTC' }
const events = (transitions: readonly Transition[]) =>
  transitions.map(({ event, at: moment }) => [event, moment - START])

test('of an occurrence in progress only the start is announced, and of those before it nothing', () => {
  const { progress, transitions } = advanceThrough(everyDay, START - HOUR_MS, [START + 5 * DAY_MS + HOUR_MS / 2])
  assert.deepEqual(events(transitions), [['maintenance.started', 5 * DAY_MS]])
  assert.deepEqual(progress, { status: 'IN_PROGRESS', nextTransitionAt: START + 5 * DAY_MS + HOUR_MS })
})

test('a window without breaks is announced once', () => {
  const endless: WindowTiming = { ...everyDay, ...at(START, 25) }
  const ticks = Array.from({ length: 40 }, (_, i) => START + i * 30 * DAY_MS)
  const { progress, transitions } = advanceThrough(endless, START - HOUR_MS, ticks)
  assert.deepEqual(events(transitions), [['maintenance.started', 0]])
  assert.equal(progress.status, 'IN_PROGRESS')
})
