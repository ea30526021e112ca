import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import { nextCheckAt } from '../../../src/monitoring/monitor-states/schedule.ts'

const NOW = Date.UTC(2025, 5, 1, 12)
const num = fc.integer({ min: 1, max: 10_000_000 })
const interval = fc.integer({ min: 30, max: 86_400 }).map((seconds) => seconds * SECOND_MS)
const moment = fc.integer({ min: NOW, max: NOW + 365 * DAY_MS })

test('the next check is 0.5 to 1.5 intervals away', () => {
  fc.assert(
    fc.property(num, interval, moment, (monitor, every, now) => {
      const next = nextCheckAt(monitor, every, now)
      assert.ok(Number.isInteger(next))
      assert.ok(next >= now + every / 2 && next <= now + 1.5 * every)
    }),
  )
})

test('a monitor stays on its grid, however late its checks end', () => {
  fc.assert(
    fc.property(num, interval, moment, fc.integer({ min: 0, max: DAY_MS }), (monitor, every, now, later) => {
      const apart = nextCheckAt(monitor, every, now + later) - nextCheckAt(monitor, every, now)
      assert.equal(apart % every, 0)
    }),
  )
})

test('checks that end within half an interval of being due run once per interval, without drift', () => {
  fc.assert(
    fc.property(
      num,
      interval,
      moment,
      fc.array(fc.double({ min: 0, max: 0.49, noNaN: true })),
      (monitor, every, now, late) => {
        let due = nextCheckAt(monitor, every, now)
        for (const share of late) {
          const next = nextCheckAt(monitor, every, Math.floor(due + share * every))
          assert.equal(next, due + every)
          due = next
        }
      },
    ),
  )
})

test('checks that were missed while the service was down are not made up for', () => {
  const due = nextCheckAt(7, 30_000, NOW)
  const back = due + 10 * DAY_MS
  assert.ok(nextCheckAt(7, 30_000, back) > back)
})

test('8,000 monitors created together are spread evenly over their interval, in groups of eight', () => {
  for (const every of [30_000, 60_000, 300_000, 86_400_000]) {
    for (const first of [8, 12_344, 9_000_000]) {
      const due = Array.from({ length: 8000 }, (_, i) => (nextCheckAt(first + i, every, NOW) - NOW) % every)
      const groups = Array.from({ length: 1000 }, (_, i) => due.slice(i * 8, i * 8 + 8))
      const offsets = groups.map(([at]) => at as number).toSorted((a, b) => a - b)
      const gaps = offsets.map((at, i) => (offsets[i + 1] ?? (offsets[0] as number) + every) - at)
      // Evenly would be a thousandth each; the golden ratio leaves no gap of three times that.
      assert.ok(Math.max(...gaps) <= (3 * every) / 1000 + 2, `a gap of ${Math.max(...gaps)} ms in ${every}`)
      const slots = new Map<number, number>()
      for (const at of due)
        slots.set(Math.floor((at * 20) / every), (slots.get(Math.floor((at * 20) / every)) ?? 0) + 1)
      for (const [slot, count] of slots) assert.ok(count >= 380 && count <= 420, `${count} in slot ${slot}`)
      for (const [at = 0, ...others] of groups) {
        assert.deepEqual(
          others.map((other) => (other - at + every) % every),
          [5, 10, 15, 20, 25, 30, 35],
        )
      }
    }
  }
})
