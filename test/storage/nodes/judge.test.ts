import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Member } from '../../../src/storage/database.ts'
import { judgeNodes, nothingObserved, type Observation } from '../../../src/storage/nodes/judge.ts'
import { defaultTiming } from '../../../src/storage/nodes/node.ts'

const { renewEveryMs, aliveForMs, deadAfterMs } = defaultTiming

function member(name: string, renewedAt: number): Member {
  return { name, renewedAt, process: null, monitors: 0 }
}

/** Looks at the renewals that `renewedAt` returns for each time, and returns when the node is found dead. */
function foundDead(times: readonly number[], renewedAt: (at: number) => number): number | undefined {
  let observation: Observation = nothingObserved
  for (const at of times) {
    const judged = judgeNodes(observation, [member('other', renewedAt(at))], at, defaultTiming)
    observation = judged.observation
    if (judged.dead.length > 0) return at
  }
  return undefined
}

const every = (ms: number, untilMs: number, from = 0) =>
  Array.from({ length: (untilMs - from) / ms }, (_, i) => from + i * ms)

test('a node that renews its row is alive, whatever its clock says', () => {
  const times = every(renewEveryMs, 600_000)
  for (const offset of [-300_000, 0, 300_000]) {
    assert.equal(
      foundDead(times, (at) => at + offset),
      undefined,
    )
  }
  // The clock of the database is set back every time.
  assert.equal(
    foundDead(times, (at) => -at),
    undefined,
  )
})

test('a node is dead within 13 s after its last renewal, and never before it stops to consider itself alive', () => {
  for (let lastAt = 20_000; lastAt < 22_000; lastAt += 100) {
    const at = foundDead(every(renewEveryMs, 60_000), (now) => Math.min(now, lastAt))
    assert.ok(at !== undefined && at - lastAt <= 13_000, `${at} after ${lastAt}`)
    assert.ok(at - lastAt > aliveForMs)
  }
})

test('the wait starts again after the observer lost the database, because all nodes may have lost it', () => {
  const times = [0, 2_000, 60_000, 62_000, 64_000, 66_000, 68_000, 70_000]
  assert.equal(
    foundDead(times, () => 1),
    70_000,
  )
})

test('what a new node finds is dead only after it was watched', () => {
  assert.equal(
    foundDead(every(renewEveryMs, 60_000), () => -1_000_000),
    Math.ceil(deadAfterMs / renewEveryMs) * renewEveryMs,
  )
})

test('nodes that have left are forgotten', () => {
  const first = judgeNodes(nothingObserved, [member('a', 1), member('b', 1)], 0, defaultTiming)
  const second = judgeNodes(first.observation, [member('b', 2)], 2_000, defaultTiming)
  assert.deepEqual([...second.observation.seen.keys()], ['b'])
})
