import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextToDrop } from '../../../src/server/responses/next-to-drop.ts'

const NOW = 100_000
const pending = (client: string, bytes: number, idleMs: number) => ({ client, bytes, progressAt: NOW - idleMs })

test('the slowest response of the client with the most pending bytes is dropped', () => {
  const slowest = pending('a', 10, 300)
  const all = [pending('b', 15, 900), pending('a', 10, 200), slowest]
  assert.equal(nextToDrop(all, { client: 'c', bytes: 5 }), slowest)
})

test('a response of the client that has the most is refused', () => {
  assert.equal(nextToDrop([pending('a', 10, 0), pending('a', 10, 5_000)], { client: 'a', bytes: 10 }), null)
  assert.equal(nextToDrop([pending('a', 10, 5_000)], { client: 'b', bytes: 90 }), null)
  assert.equal(nextToDrop([], { client: 'a', bytes: 1 }), null)
})
