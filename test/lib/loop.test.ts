import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { silentLog } from '../../src/lib/log.ts'
import { type Rest, startLoop } from '../../src/lib/loop.ts'

const REST_MS = 200

/** A loop that notes when it ticks. */
function noting(rest: () => Rest = () => ({ restMs: REST_MS })) {
  const ticks: number[] = []
  const loop = startLoop('test', silentLog, async () => {
    ticks.push(performance.now())
    return rest()
  })
  return { ticks, loop }
}

test('loops that rest equally long wake up together, whenever they began', async () => {
  const one = noting()
  await setTimeout(70)
  const other = noting()
  await setTimeout(5 * REST_MS)
  await Promise.all([one.loop.stop(), other.loop.stop()])
  // The first tick is when each began; from then on they share the beat.
  const theirs = other.ticks.slice(1)
  assert.ok(theirs.length >= 3, `${theirs.length} ticks`)
  for (const at of theirs) {
    const apart = Math.min(...one.ticks.map((mine) => Math.abs(mine - at)))
    assert.ok(apart < REST_MS / 8, `one woke up ${apart} ms apart from the other`)
  }
})

test('no beat comes twice', async () => {
  const { ticks, loop } = noting()
  await setTimeout(6 * REST_MS)
  await loop.stop()
  const beats = ticks.slice(1).map((at) => Math.round(at / REST_MS))
  assert.ok(beats.length >= 3, `${beats.length} ticks`)
  assert.equal(new Set(beats).size, beats.length, beats.join())
})

test('a nudge ends a rest, and one that comes while it ticks is not lost', async () => {
  let ticks = 0
  await using loop = startLoop('test', silentLog, async () => {
    ticks += 1
    await setTimeout(30)
    return { restMs: 60_000 }
  })
  loop.nudge()
  await setTimeout(500)
  assert.equal(ticks, 2, 'one that came while it ticked')
  loop.nudge()
  await setTimeout(500)
  assert.equal(ticks, 3, 'one that came while it rested')
})

test('a tick that fails is tried again after a pause', async () => {
  let failed = false
  const { ticks, loop } = noting(() => {
    if (failed) return { restMs: REST_MS }
    failed = true
    throw new Error('once')
  })
  await setTimeout(2_200)
  await loop.stop()
  assert.ok(ticks.length >= 2)
  assert.ok((ticks[1] as number) - (ticks[0] as number) >= 90, 'not at once')
})
