import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Due, DueHeap } from '../../../src/monitoring/checks/due-heap.ts'
import { Dice } from './simulation/dice.ts'

test('items come out in the order of their due times, whatever was moved or removed', () => {
  const dice = new Dice(1)
  const heap = new DueHeap<Due>()
  const items: Due[] = Array.from({ length: 500 }, () => ({ dueAt: dice.between(0, 1_000), position: -1 }))
  for (const item of items) heap.put(item)
  for (let i = 0; i < 2_000; i += 1) {
    const item = dice.pick(items)
    item.dueAt = dice.chance(0.1) ? null : dice.between(0, 1_000)
    if (dice.chance(0.1)) heap.remove(item)
    else heap.put(item)
  }
  const expected = items.filter(({ position }) => position !== -1).map(({ dueAt }) => dueAt)
  assert.ok(!expected.includes(null), 'what is never due is not in the heap')
  const found: (number | null)[] = []
  for (let first = heap.peek(); first !== undefined; first = heap.peek()) {
    found.push(first.dueAt)
    heap.remove(first)
  }
  assert.deepEqual(
    found,
    expected.toSorted((a, b) => (a as number) - (b as number)),
  )
  assert.ok(items.every(({ position }) => position === -1))
})
