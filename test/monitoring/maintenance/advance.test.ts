import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { advance, type Told, type Transition, toldAt } from '../../../src/monitoring/maintenance/advance.ts'
import { phaseAt } from '../../../src/monitoring/maintenance-coverage/occurrences.ts'
import type { Timing } from '../../../src/monitoring/maintenance-coverage/types.ts'
import { occurrencesUntil } from '../maintenance-coverage/calendar.ts'
import { at, daily, runsOf, timings } from '../maintenance-coverage/timings.ts'

/** Everything that is told by somebody who looks at these moments. */
function toldBy(timing: Timing, savedAt: number, looks: readonly number[]): { told: Told; transitions: Transition[] } {
  let told = toldAt(timing, savedAt)
  const transitions: Transition[] = []
  for (const now of looks) {
    const step = advance(timing, told, now)
    told = step.told
    transitions.push(...step.transitions)
    assert.equal(told.status, phaseAt(timing, now).status, 'after a look it stands as the clock says')
    assert.ok(told.nextTransitionAt === null || told.nextTransitionAt > now, 'and there is nothing more to tell')
  }
  return { told, transitions }
}

test('whoever looks at the right moments tells of every start and every end, once and in order', () => {
  fc.assert(
    fc.property(timings, fc.integer({ min: 0, max: 999 }), (timing, lateMs) => {
      const savedAt = timing.startsAt - DAY_MS
      const until = timing.startsAt + 60 * DAY_MS
      const transitions: Transition[] = []
      let told = toldAt(timing, savedAt)
      while (told.nextTransitionAt !== null && told.nextTransitionAt <= until) {
        const step = advance(timing, told, told.nextTransitionAt + (lateMs % 2 === 0 ? 0 : 1))
        told = step.told
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

test('however seldom somebody looks, starts and ends take turns, and none is told that did not happen', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 20 * DAY_MS }), { minLength: 1, maxLength: 15 })
  fc.assert(
    fc.property(timings, gaps, (timing, ms) => {
      let now = timing.startsAt - HOUR_MS
      const looks = ms.map((gap) => {
        now += gap
        return now
      })
      const { transitions } = toldBy(timing, timing.startsAt - HOUR_MS, looks)
      const runs = runsOf(occurrencesUntil(timing, now + 65 * DAY_MS))
      const bounds = new Set(runs.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]))
      const within = runs.flatMap(({ startsAt, endsAt }) => [{ startsAt, endsAt }])
      transitions.forEach(({ event, at: moment }, i) => {
        assert.equal(event, i % 2 === 0 ? 'maintenance.started' : 'maintenance.completed')
        if (event === 'maintenance.completed') assert.ok(bounds.has(moment), 'an end is the end of a run')
        // A run that is met in its midst is told by its latest occurrence.
        else assert.ok(within.some(({ startsAt, endsAt }) => startsAt <= moment && moment < endsAt))
      })
      assert.ok(transitions.length <= 3 * looks.length, 'of what was missed no more than the latest is told')
    }),
    { numRuns: 500 },
  )
})

const START = Date.UTC(2026, 0, 1)
const everyDay: Timing = { ...daily, ...at(START), timezone: 'UTC' }
const events = (transitions: readonly Transition[]) =>
  transitions.map(({ event, at: moment }) => [event, moment - START])

test('of occurrences that passed while nobody was there the latest is told, start and end', () => {
  const { told, transitions } = toldBy(everyDay, START - HOUR_MS, [START + 5 * DAY_MS + 2 * HOUR_MS])
  assert.deepEqual(events(transitions), [
    ['maintenance.started', 5 * DAY_MS],
    ['maintenance.completed', 5 * DAY_MS + HOUR_MS],
  ])
  assert.deepEqual(told, { status: 'SCHEDULED', nextTransitionAt: START + 6 * DAY_MS })
})

test('of the one that is under way only the start is told, and of those before it nothing', () => {
  const { told, transitions } = toldBy(everyDay, START - HOUR_MS, [START + 5 * DAY_MS + HOUR_MS / 2])
  assert.deepEqual(events(transitions), [['maintenance.started', 5 * DAY_MS]])
  assert.deepEqual(told, { status: 'IN_PROGRESS', nextTransitionAt: START + 5 * DAY_MS + HOUR_MS })
})

test('whoever was told of a start is told of its end, however late', () => {
  const away = [START + HOUR_MS / 2, START + 3 * DAY_MS + HOUR_MS / 2]
  assert.deepEqual(events(toldBy(everyDay, START - HOUR_MS, away).transitions), [
    ['maintenance.started', 0],
    ['maintenance.completed', HOUR_MS],
    ['maintenance.started', 3 * DAY_MS],
  ])
})

test('a one-time window that passed unseen is told, and is over', () => {
  const once: Timing = { ...everyDay, recurrence: 'NONE' }
  const { told, transitions } = toldBy(once, START - HOUR_MS, [START + DAY_MS])
  assert.deepEqual(events(transitions), [
    ['maintenance.started', 0],
    ['maintenance.completed', HOUR_MS],
  ])
  assert.deepEqual(told, { status: 'COMPLETED', nextTransitionAt: null })
})

test('what was over when the window was saved is not told', () => {
  assert.deepEqual(toldBy({ ...everyDay, recurrence: 'NONE' }, START + DAY_MS, [START + 2 * DAY_MS]).transitions, [])
  const { transitions } = toldBy(everyDay, START + 2 * HOUR_MS, [START + 3 * HOUR_MS])
  assert.deepEqual(transitions, [])
})

test('a window without breaks is told once, though it is looked at again and again', () => {
  const endless: Timing = { ...everyDay, ...at(START, 25) }
  const looks = Array.from({ length: 40 }, (_, i) => START + i * 30 * DAY_MS)
  const { told, transitions } = toldBy(endless, START - HOUR_MS, looks)
  assert.deepEqual(events(transitions), [['maintenance.started', 0]])
  assert.equal(told.status, 'IN_PROGRESS')
})
