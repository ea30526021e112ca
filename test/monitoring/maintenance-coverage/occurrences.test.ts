import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import {
  endOfLastOccurrence,
  endOfRun,
  latestStarted,
  nextAfter,
  occurrencesWithin,
  phaseAt,
} from '../../../src/monitoring/maintenance-coverage/occurrences.ts'
import type { Occurrence, WindowTiming } from '../../../src/monitoring/maintenance-coverage/types.ts'
import { threadCpuMs } from '../../support/cpu-time.ts'
import { occurrencesUntil } from './calendar.ts'
import { at, daily, timings } from './timings.ts'

const ALL = 100_000

const shown = ({ startsAt, endsAt }: Occurrence): string =>
  `${new Date(startsAt).toISOString()} – ${new Date(endsAt).toISOString()}`

test('occurrences match a search through every day of the calendar and every hour', () => {
  fc.assert(
    fc.property(timings, fc.integer({ min: -10, max: 120 }), fc.integer({ min: 0, max: 40 }), (timing, day, days) => {
      const from = timing.startsAt + day * DAY_MS + 1_234
      const to = from + days * DAY_MS
      const lengthMs = timing.endsAt - timing.startsAt
      const known = occurrencesUntil(timing, to + DAY_MS, from - lengthMs)
      const expected = known.filter(({ startsAt, endsAt }) => startsAt < to && endsAt > from)
      assert.deepEqual(occurrencesWithin(timing, from, to, ALL).map(shown), expected.map(shown))
      assert.deepEqual(occurrencesWithin(timing, from, to, 2).map(shown), expected.slice(0, 2).map(shown))
    }),
    { numRuns: 1_500 },
  )
})

test('the current, the next and the latest started occurrence agree with the list of all at every moment', () => {
  fc.assert(
    fc.property(timings, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (timing, share, pick) => {
      const horizon = timing.startsAt + 70 * DAY_MS
      const known = occurrencesUntil(timing, horizon + 40 * DAY_MS)
      // Most mistakes are made at the very bounds.
      const bounds = known.flatMap(({ startsAt, endsAt }) => [startsAt - 1, startsAt, endsAt - 1, endsAt])
      const bound = bounds.length > 0 ? (bounds[pick % bounds.length] as number) : timing.startsAt
      for (const at of [bound, timing.startsAt + Math.floor(share * 70 * DAY_MS)]) {
        if (at > horizon) continue
        const begun = known.filter(({ startsAt }) => startsAt <= at).at(-1) ?? null
        const current = begun !== null && begun.endsAt > at ? begun : null
        const upcoming = known.find(({ startsAt }) => startsAt > at)
        const phase = phaseAt(timing, at)
        assert.deepEqual(phase.current, current)
        assert.deepEqual(latestStarted(timing, at, timing.startsAt), begun)
        if (begun !== null) assert.equal(latestStarted(timing, at, begun.startsAt + 1), null)
        // Beyond the horizon of the list there may be more.
        if (upcoming !== undefined) assert.deepEqual([phase.next, nextAfter(timing, at)], [upcoming, upcoming])
        else if (phase.next !== null) assert.ok(phase.next.startsAt >= horizon + 40 * DAY_MS)
        const status = current !== null ? 'IN_PROGRESS' : phase.next !== null ? 'SCHEDULED' : 'COMPLETED'
        assert.equal(phase.status, status)
      }
    }),
    { numRuns: 800 },
  )
})

test('a run ends where the first break is, and the whole of it where its last occurrence ends', () => {
  fc.assert(
    fc.property(timings, fc.nat(), (timing, pick) => {
      const horizon = timing.startsAt + 200 * DAY_MS
      const known = occurrencesUntil(timing, horizon)
      const nth = known.length === 0 ? 0 : pick % Math.min(known.length, 40)
      const current = known[nth]
      if (current === undefined) return
      let { endsAt } = current
      let followed = 0
      for (const { startsAt, endsAt: end } of known.slice(nth + 1)) {
        if (startsAt > endsAt || followed === 64) break
        endsAt = end
        followed += 1
      }
      // Beyond the end of the list it may go on.
      if (endsAt < horizon) assert.equal(endOfRun(timing, current), endsAt)
      if (timing.recurrenceEndsAt !== null) assert.equal(endOfLastOccurrence(timing), known.at(-1)?.endsAt)
    }),
    { numRuns: 800 },
  )
})

for (const recurrence of ['DAILY', 'WEEKLY', 'MONTHLY'] as const) {
  for (const recurrenceInterval of [1, 3, 52]) {
    test(`a ${recurrence} window of every ${recurrenceInterval} that began decades ago is where counting leads`, () => {
      const timing = { ...daily, recurrence, recurrenceInterval, daysOfMonth: [-1] }
      const from = Date.UTC(2026, 2, 1)
      const to = Date.UTC(2030, 11, 1)
      const expected = occurrencesUntil(timing, to, from).filter(({ endsAt }) => endsAt > from)
      assert.deepEqual(occurrencesWithin(timing, from, to, ALL).map(shown), expected.map(shown))
      assert.deepEqual(nextAfter(timing, from), expected[0])
    })
  }
}

test('a window that began decades ago costs about as much as one of last week', () => {
  const now = Date.UTC(2026, 0, 1)
  const lengthMs = daily.endsAt - daily.startsAt
  const recent = { ...daily, startsAt: now - 7 * 24 * HOUR_MS, endsAt: now - 7 * 24 * HOUR_MS + lengthMs }
  const cpuOf = (timing: WindowTiming): number => {
    const before = threadCpuMs()
    for (let i = 0; i < 2_000; i += 1) phaseAt(timing, now + i * HOUR_MS)
    return threadCpuMs() - before
  }
  cpuOf(recent)
  // Walking there day by day would cost hundreds of times as much. The kernel counts in steps of up to 4 ms.
  assert.ok(cpuOf(daily) < 50 * Math.max(4, cpuOf(recent)))
})

function starts(timing: Partial<WindowTiming>, count: number): string[] {
  const whole = { ...daily, ...timing }
  const found: string[] = []
  let next = nextAfter(whole, whole.startsAt - 1)
  while (next !== null && found.length < count) {
    found.push(new Date(next.startsAt).toISOString().slice(0, 16))
    next = nextAfter(whole, next.startsAt)
  }
  return found
}

test('in a gap of the clock the start moves on by the length of the gap, and the length stays', () => {
  // 02:30 in Berlin; on 29 March 2026 the clock goes from 02:00 to 03:00, so it is 03:30.
  const berlin = { ...at(Date.UTC(2026, 2, 28, 1, 30)), timezone: 'Europe/Berlin' }
  assert.deepEqual(starts(berlin, 3), ['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'])
  // Lord Howe Island puts its clock by half an hour: 02:10 is 02:40.
  const howe = { ...at(Date.UTC(2026, 9, 2, 15, 40)), timezone: 'Australia/Lord_Howe' }
  assert.deepEqual(starts(howe, 3), ['2026-10-02T15:40', '2026-10-03T15:40', '2026-10-04T15:10'])
  const [, moved] = occurrencesWithin({ ...daily, ...berlin }, berlin.startsAt, Date.UTC(2026, 2, 30), ALL)
  assert.equal((moved?.endsAt as number) - (moved?.startsAt as number), HOUR_MS)
})

test('of a time that the clock shows twice the first counts, unless the window itself begins at the second', () => {
  const before = { ...at(Date.UTC(2026, 9, 24, 0, 30)), timezone: 'Europe/Berlin' }
  assert.deepEqual(starts(before, 3), ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'])
  const second = { ...at(Date.UTC(2026, 9, 25, 1, 30)), timezone: 'Europe/Berlin' }
  assert.deepEqual(starts(second, 2), ['2026-10-25T01:30', '2026-10-26T01:30'])
})

test('the day that Samoa skipped is one with the day after', () => {
  const apia = { ...at(Date.UTC(2011, 11, 29, 20)), timezone: 'Pacific/Apia' }
  // 10:00 on the 29th, then on the 31st (which the 30th moves to), then on the first of January.
  assert.deepEqual(starts(apia, 3), ['2011-12-29T20:00', '2011-12-30T20:00', '2011-12-31T20:00'])
  assert.equal(occurrencesWithin({ ...daily, ...apia }, apia.startsAt, apia.startsAt + 2 * DAY_MS + 1, ALL).length, 3)
  // Asked from the moment to which the skipped day has moved, the week before leads there.
  const fridays = {
    ...daily,
    ...at(Date.UTC(2011, 11, 23, 20)),
    timezone: 'Pacific/Apia',
    recurrence: 'WEEKLY' as const,
  }
  assert.equal(nextAfter(fridays, Date.UTC(2011, 11, 30, 19))?.startsAt, Date.UTC(2011, 11, 30, 20))
})

test('31 skips short months, -1 is the last day, 29 waits for a leap year', () => {
  const monthly = (startsAt: number, daysOfMonth: number[], recurrenceInterval = 1, count = 5) =>
    starts({ ...at(startsAt), timezone: 'UTC', recurrence: 'MONTHLY', daysOfMonth, recurrenceInterval }, count).map(
      (text) => text.slice(0, 10),
    )
  const new31 = Date.UTC(2026, 0, 31, 3)
  assert.deepEqual(monthly(new31, []), ['2026-01-31', '2026-03-31', '2026-05-31', '2026-07-31', '2026-08-31'])
  assert.deepEqual(monthly(new31, [-1], 1, 3), ['2026-01-31', '2026-02-28', '2026-03-31'])
  assert.deepEqual(monthly(Date.UTC(2028, 1, 1), [-1, 29, 28], 1, 2), ['2028-02-28', '2028-02-29'])
  assert.deepEqual(monthly(Date.UTC(2096, 1, 1), [29], 12, 3), ['2096-02-29', '2104-02-29', '2108-02-29'])
  assert.deepEqual(monthly(Date.UTC(2026, 1, 1), [30], 12), [])
  assert.deepEqual(monthly(Date.UTC(2026, 1, 1), [30, 31], 3, 2), ['2026-05-30', '2026-05-31'])
})

test('weeks begin on Monday, are counted from that of the start, and days before the start are not made up for', () => {
  // A Wednesday.
  const weekly = { ...at(Date.UTC(2026, 0, 7, 3)), timezone: 'UTC', recurrence: 'WEEKLY' as const }
  const dates = (timing: Partial<WindowTiming>) => starts({ ...weekly, ...timing }, 4).map((text) => text.slice(0, 10))
  assert.deepEqual(dates({}), ['2026-01-07', '2026-01-14', '2026-01-21', '2026-01-28'])
  const fortnight = { recurrenceInterval: 2, daysOfWeek: [7, 1] }
  assert.deepEqual(dates(fortnight), ['2026-01-11', '2026-01-19', '2026-01-25', '2026-02-02'])
})

test('what begins at the end of the recurrence still takes place, and nothing after it', () => {
  const startsAt = Date.UTC(2026, 0, 1, 3)
  const timing = { ...at(startsAt), timezone: 'UTC' }
  const until = (ms: number) => starts({ ...timing, recurrenceEndsAt: startsAt + ms }, 9).length
  assert.deepEqual([0, DAY_MS - 1, DAY_MS, DAY_MS + 1].map(until), [1, 1, 2, 2])
})

test('a window of the last days that can be written has no occurrence beyond them', () => {
  const startsAt = Date.UTC(9999, 11, 29)
  assert.deepEqual(starts({ ...at(startsAt), timezone: 'UTC' }, 9), [
    '9999-12-29T00:00',
    '9999-12-30T00:00',
    '9999-12-31T00:00',
  ])
  assert.equal(phaseAt({ ...daily, ...at(startsAt), timezone: 'UTC' }, startsAt + 5 * DAY_MS).status, 'COMPLETED')
})

test('a window that is longer than its period is in progress without a break, until the last of it is over', () => {
  const startsAt = Date.UTC(2026, 0, 1)
  const timing = { ...daily, ...at(startsAt, 25), timezone: 'UTC', recurrenceEndsAt: startsAt + 2 * DAY_MS }
  for (let hour = 0; hour < 73; hour += 1) {
    const { status, current } = phaseAt(timing, startsAt + hour * HOUR_MS)
    assert.equal(status, 'IN_PROGRESS')
    assert.equal(current?.startsAt, startsAt + Math.floor(hour / 24 >= 3 ? 2 : hour / 24) * DAY_MS)
  }
  assert.equal(phaseAt(timing, startsAt + 73 * HOUR_MS).status, 'COMPLETED')
  const first = phaseAt(timing, startsAt).current as Occurrence
  assert.equal(endOfRun(timing, first), startsAt + 73 * HOUR_MS)
  assert.equal(
    endOfRun({ ...timing, ...at(startsAt, 24) }, { startsAt, endsAt: startsAt + DAY_MS }),
    startsAt + 3 * DAY_MS,
  )
  const endless = { ...timing, recurrenceEndsAt: null }
  assert.equal(phaseAt(endless, endOfRun(endless, first)).status, 'IN_PROGRESS')
})
