import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import { nextCheckAt } from '../../../src/monitoring/monitor-states/schedule.ts'

const NOW = Date.UTC(2025, 5, 1, 12)
const num = fc.integer({ min: 1, max: 10_000_000 })
const interval = fc.integer({ min: 30, max: 86_400 }).map((seconds) => seconds * SECOND_MS)
const moment = fc.integer({ min: NOW, max: NOW + 365 * DAY_MS })
const share = (max: number) => fc.double({ min: 0, max, noNaN: true })

/** After a check that takes no time. */
const after = (monitor: number, every: number, now: number): number =>
  nextCheckAt(monitor, every, { startedAt: now, endedAt: now })

/** On its grid: it stays there. */
function firstOnGrid(monitor: number, every: number, now: number): number {
  let due = after(monitor, every, now)
  while (after(monitor, every, due) !== due + every) due = after(monitor, every, due)
  return due
}

test('checks begin 0.5 to 1 intervals apart', () => {
  fc.assert(
    fc.property(num, interval, moment, (monitor, every, now) => {
      const next = after(monitor, every, now)
      assert.ok(Number.isInteger(next))
      assert.ok(next >= now + every / 2 && next <= now + every)
    }),
  )
})

test('a slow check is followed by the next one half an interval after its end, or an interval after its start', () => {
  fc.assert(
    fc.property(num, interval, moment, share(3), (monitor, every, startedAt, slowness) => {
      const endedAt = Math.floor(startedAt + slowness * every)
      const next = nextCheckAt(monitor, every, { startedAt, endedAt })
      assert.ok(next >= endedAt + every / 2)
      assert.ok(next <= Math.max(startedAt + every, endedAt + every / 2))
    }),
  )
})

test('checks that end within half an interval of being due run once per interval, without drift', () => {
  fc.assert(
    fc.property(num, interval, moment, fc.array(share(0.49)), (monitor, every, now, late) => {
      let due = firstOnGrid(monitor, every, now)
      for (const part of late) {
        const startedAt = Math.floor(due + (part / 2) * every)
        const next = nextCheckAt(monitor, every, { startedAt, endedAt: Math.floor(due + part * every) })
        assert.equal(next, due + every)
        due = next
      }
    }),
  )
})

test('a monitor returns to its grid within three checks after a late one, although checks begin a little late', () => {
  const parts = fc.record({ late: share(1), takes: share(0.1), delay: share(0.02) })
  fc.assert(
    fc.property(num, interval, moment, parts, (monitor, every, now, { late, takes, delay }) => {
      const due = firstOnGrid(monitor, every, now)
      let next = Math.floor(due + late * every)
      const isOnGrid = Array.from({ length: 3 }, () => {
        const startedAt = Math.floor(next + delay * every)
        next = nextCheckAt(monitor, every, { startedAt, endedAt: Math.floor(startedAt + takes * every) })
        return (next - due) % every === 0
      })
      assert.ok(isOnGrid.includes(true))
    }),
  )
})

test('checks that were missed while the service was down are not made up for', () => {
  const back = after(7, 30_000, NOW) + 10 * DAY_MS
  assert.ok(after(7, 30_000, back) >= back + 15_000)
})

test('8,000 monitors created together are spread evenly over their interval', () => {
  for (const every of [30_000, 60_000, 300_000, 86_400_000]) {
    for (const first of [8, 12_344, 9_000_000]) {
      const due = Array.from({ length: 8000 }, (_, i) => (firstOnGrid(first + i, every, NOW) - NOW) % every)
      const offsets = due.toSorted((a, b) => a - b)
      const gaps = offsets.map((at, i) => (offsets[i + 1] ?? (offsets[0] as number) + every) - at)
      // Evenly would be an 8000th each; the golden ratio leaves no gap of three times that.
      assert.ok(Math.max(...gaps) <= (3 * every) / 8000 + 2, `a gap of ${Math.max(...gaps)} ms in ${every}`)
      const slots = new Map<number, number>()
      for (const at of due)
        slots.set(Math.floor((at * 20) / every), (slots.get(Math.floor((at * 20) / every)) ?? 0) + 1)
      for (const [slot, count] of slots) assert.ok(count >= 380 && count <= 420, `${count} in slot ${slot}`)
    }
  }
})
