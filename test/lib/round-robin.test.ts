import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RoundRobin } from '../../src/lib/round-robin.ts'

function filled(...items: readonly string[]): RoundRobin<string> {
  const queue = new RoundRobin<string>()
  for (const item of items) queue.add(item.slice(0, 1), item)
  return queue
}

test('keys take turns, and the items of a key stay in order', () => {
  const queue = filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2')
  const taken = Array.from({ length: 7 }, () => queue.take())
  assert.deepEqual(taken, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', undefined])
  assert.equal(queue.size, 0)
})

test('a key that is not preferred is taken only if no other waits', () => {
  const queue = filled('a1', 'a2', 'b1')
  const taken = Array.from({ length: 3 }, () => queue.take((key) => key !== 'a'))
  assert.deepEqual(taken, ['b1', 'a1', 'a2'])
})

test('an item that was deleted is not taken', () => {
  const queue = filled('a1', 'a2', 'b1')
  queue.delete('a', 'a1')
  queue.delete('b', 'b1')
  queue.delete('b', 'b1')
  assert.equal(queue.size, 1)
  assert.deepEqual([queue.take(), queue.take()], ['a2', undefined])
})
