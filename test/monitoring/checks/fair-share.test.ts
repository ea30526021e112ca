import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leavesToOthers, surplusOf } from '../../../src/monitoring/checks/fair-share.ts'

const members = (...counts: number[]) => counts.map((monitors, i) => ({ name: `node-${i}`, monitors }))

test('a node alone takes everything and releases nothing', () => {
  for (const others of [[], members(100_000)]) {
    assert.equal(leavesToOthers('node-0', 100_000, others), false)
    assert.equal(surplusOf('node-0', 100_000, others), 0)
  }
})

test('a node with more than its share leaves unassigned monitors to the others', () => {
  assert.equal(leavesToOthers('node-0', 1_000, members(1_000, 200)), true)
  assert.equal(leavesToOthers('node-1', 200, members(1_000, 200)), false)
  assert.equal(leavesToOthers('node-0', 1_040, members(1_000, 1_000)), false, 'it is a little above')
})

test('nodes converge to equal shares within a minute, although they know the counts of others three seconds late', () => {
  for (const start of [
    [100_000, 0],
    [50_000, 50_000, 0],
    [90_000, 5_000, 5_000, 0],
    [400, 0],
  ]) {
    const held = [...start]
    let reported = [...start]
    for (let round = 0; round < 20; round += 1) {
      const known = reported
      reported = [...held]
      const released = held.map((count, i) => surplusOf(`node-${i}`, count, members(...known.with(i, count))))
      for (const [i, count] of released.entries()) held[i] = (held[i] as number) - count
      // Those that do not leave them to the others take them, in equal parts.
      const takers = held.flatMap((count, i) =>
        leavesToOthers(`node-${i}`, count, members(...known.with(i, count))) ? [] : [i],
      )
      const free = released.reduce((sum, count) => sum + count, 0)
      for (const i of takers) held[i] = (held[i] as number) + free / takers.length
    }
    const share = held.reduce((sum, count) => sum + count, 0) / held.length
    for (const count of held) assert.ok(Math.abs(count - share) <= 50 + 0.2 * share, `${start} became ${held}`)
  }
})
