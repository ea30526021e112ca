import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { describeRecurrence } from '../../dashboard/src/screens/maintenance/describe-recurrence.ts'
import { nextOccurrences, occurrencesWithin } from '../../dashboard/src/screens/maintenance/occurrences.ts'
import {
  nextAfter,
  occurrencesWithin as serversOccurrences,
} from '../../src/monitoring/maintenance-coverage/occurrences.ts'
import type { WindowTiming } from '../../src/monitoring/maintenance-coverage/types.ts'

const DAY_MS = 86_400_000
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia']

const timings: fc.Arbitrary<WindowTiming> = fc
  .record({
    startsAt: fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2028, 0, 1) }),
    length: fc.integer({ min: 60_000, max: 3 * DAY_MS }),
    timezone: fc.constantFrom(...zones),
    recurrence: fc.constantFrom('NONE', 'DAILY', 'WEEKLY', 'MONTHLY'),
    recurrenceInterval: fc.integer({ min: 1, max: 5 }),
    daysOfWeek: fc.uniqueArray(fc.integer({ min: 1, max: 7 })),
    daysOfMonth: fc.uniqueArray(fc.constantFrom(-1, 1, 5, 15, 28, 29, 30, 31)),
    recurrenceEndsAt: fc.option(fc.integer({ min: 0, max: 400 })),
  })
  .map(({ length, recurrenceEndsAt, ...timing }) => ({
    ...timing,
    endsAt: timing.startsAt + length,
    recurrenceEndsAt: recurrenceEndsAt === null ? null : timing.startsAt + recurrenceEndsAt * DAY_MS,
  }))

describe('Occurrences of maintenance computed in the browser', () => {
  test('the occurrences of a week match those of the server', () => {
    fc.assert(
      fc.property(timings, fc.integer({ min: -10, max: 500 }), (timing, days) => {
        const from = timing.startsAt + days * DAY_MS
        const to = from + 7 * DAY_MS
        assert.deepEqual(occurrencesWithin(timing, from, to, 60), serversOccurrences(timing, from, to, 60))
      }),
      { numRuns: 1_500 },
    )
  })

  test('the next occurrence matches that of the server', () => {
    fc.assert(
      fc.property(timings, fc.integer({ min: -10, max: 300 }), (timing, days) => {
        const after = timing.startsAt + days * DAY_MS
        assert.deepEqual(nextOccurrences(timing, after, 3)[0] ?? null, nextAfter(timing, after))
      }),
      { numRuns: 500 },
    )
  })

  test('a recurrence is described in words', () => {
    const once: WindowTiming = {
      startsAt: Date.UTC(2026, 10, 15, 1),
      endsAt: Date.UTC(2026, 10, 15, 3),
      timezone: 'Europe/Berlin',
      recurrence: 'NONE',
      recurrenceInterval: 1,
      daysOfWeek: [],
      daysOfMonth: [],
      recurrenceEndsAt: null,
    }
    assert.match(describeRecurrence(once), /^Once: .*\b0?2:00.* to .*\b0?4:00.*, Europe\/Berlin time \(2 h\)\.$/)
    const says = (changes: Partial<WindowTiming>) => describeRecurrence({ ...once, ...changes })
    assert.match(says({ recurrence: 'DAILY' }), /^Every day, 0?2:00.* to 0?4:00.*, Europe\/Berlin time \(2 h\)\.$/)
    assert.match(says({ recurrence: 'DAILY', recurrenceInterval: 3 }), /^Every 3 days/)
    assert.match(says({ recurrence: 'WEEKLY' }), /^Every Sunday/)
    assert.match(
      says({ recurrence: 'WEEKLY', recurrenceInterval: 2, daysOfWeek: [5, 1] }),
      /^Every 2 weeks on Monday and Friday/,
    )
    assert.match(says({ recurrence: 'MONTHLY', daysOfMonth: [-1, 1] }), /^On the 1st and last day of every month/)
    assert.match(says({ recurrence: 'DAILY', recurrenceEndsAt: Date.UTC(2027, 2, 1, 12) }), /until .*March.*2027\.$/)
  })
})
