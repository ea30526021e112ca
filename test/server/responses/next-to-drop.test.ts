import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextToDrop } from '../../../src/server/responses/next-to-drop.ts'

const NOW = 100_000
const pending = (client: string, bytes: number, idleMs: number) => ({ client, bytes, progressAt: NOW - idleMs })

test('the slowest response of the client with the most pending bytes is dropped', () => {
  const slowest = pending('a', 10, 300)
  const all = [pending('b', 15, 900), pending('a', 10, 200), slowest]
  assert.equal(nextToDrop(all, { client: 'c', bytes: 5 }, NOW), slowest)
})

test('of the client itself only a response whose reader has stopped is dropped', () => {
  const reading = [pending('a', 10, 0), pending('a', 10, 2_900)]
  assert.equal(nextToDrop(reading, { client: 'a', bytes: 10 }, NOW), null)
  const stopped = pending('a', 10, 3_000)
  assert.equal(nextToDrop([...reading, stopped], { client: 'a', bytes: 10 }, NOW), stopped)
  const ofAnother = pending('b', 10, 60_000)
  assert.equal(nextToDrop([...reading, ofAnother], { client: 'a', bytes: 10 }, NOW), null)
})

test('a client with the largest response does not displace readers that make progress', () => {
  assert.equal(nextToDrop([pending('a', 10, 0)], { client: 'b', bytes: 90 }, NOW), null)
  const stopped = pending('a', 10, 5_000)
  assert.equal(nextToDrop([stopped], { client: 'b', bytes: 90 }, NOW), stopped)
})

test('with nothing pending there is nothing to drop', () => {
  assert.equal(nextToDrop([], { client: 'a', bytes: 1 }, NOW), null)
})
