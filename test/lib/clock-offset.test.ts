import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ClockOffset, type ClockSample, nextOffset } from '../../src/lib/clock-offset.ts'

/** A reading of a clock that is `offset` ahead, with the given delays there and back. */
function sample(sentAt: number, offset: number, thereMs = 1, backMs = 1): ClockSample {
  return { sentAt, remoteMs: sentAt + thereMs + offset, receivedAt: sentAt + thereMs + backMs }
}

function offsetAfter(samples: readonly ClockSample[]): { offset: ClockOffset; steps: number[] } {
  let offset: ClockOffset | undefined
  const steps: number[] = []
  for (const one of samples) {
    const next = nextOffset(offset, one)
    offset = next.offset
    if (next.stepMs !== 0) steps.push(next.stepMs)
  }
  return { offset: offset as ClockOffset, steps }
}

test('a slow answer does not move the offset', () => {
  const { offset, steps } = offsetAfter([
    sample(0, 300_000),
    sample(2_000, 300_000, 0, 1_500),
    sample(4_000, 300_000, 1_900, 0),
  ])
  assert.ok(Math.abs(offset.offsetMs - 300_000) < 5, String(offset.offsetMs))
  assert.deepEqual(steps, [])
})

test('a quick answer narrows what a slow one left open', () => {
  const { offset } = offsetAfter([sample(0, 50_000, 1_000, 0), sample(2_000, 50_000, 0.5, 0.5)])
  assert.ok(Math.abs(offset.offsetMs - 50_000) <= 1.5, String(offset.offsetMs))
})

test('a clock that is set, or another server, is followed at once', () => {
  for (const step of [5_000, -5_000, 300_000, -40]) {
    const { offset, steps } = offsetAfter([sample(0, 0), sample(2_000, step), sample(4_000, step)])
    assert.ok(Math.abs(offset.offsetMs - step) <= 3, String(offset.offsetMs))
    assert.equal(steps.length, 1)
    assert.ok(Math.abs((steps[0] as number) - step) <= 3)
  }
})

test('a clock that runs a little fast is followed without a step', () => {
  const samples = Array.from({ length: 500 }, (_, i) => sample(i * 2_000, i * 2_000 * 0.0001))
  const { offset, steps } = offsetAfter(samples)
  assert.deepEqual(steps, [])
  assert.ok(Math.abs(offset.offsetMs - 499 * 0.2) < 5)
})

test('the offset is never further off than the quickest of the last answers took, for any delays', () => {
  const delays = fc.array(fc.tuple(fc.double({ min: 0, max: 1_900 }), fc.double({ min: 0, max: 1_900 })), {
    minLength: 1,
  })
  fc.assert(
    fc.property(
      fc.integer({ min: -400_000, max: 400_000 }),
      fc.double({ min: -1e-4, max: 1e-4 }),
      delays,
      (start, drift, list) => {
        if (Number.isNaN(drift) || list.some(([a, b]) => Number.isNaN(a) || Number.isNaN(b))) return
        let offset: ClockOffset | undefined
        list.forEach(([thereMs, backMs], i) => {
          const sentAt = i * 4_000
          const readAt = sentAt + thereMs
          const one = { sentAt, remoteMs: readAt + start + readAt * drift, receivedAt: readAt + backMs }
          const next = nextOffset(offset, one)
          assert.equal(next.stepMs, 0)
          offset = next.offset
          const error = Math.abs(offset.offsetMs - (start + one.receivedAt * drift))
          assert.ok(error <= thereMs + backMs + 1, `${error} with ${thereMs} and ${backMs}`)
        })
      },
    ),
  )
})
