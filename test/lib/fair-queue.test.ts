import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue, QueueFull } from '../../src/lib/fair-queue.ts'

const lanes = { first: { weight: 4, maxWaiting: 8 }, second: { weight: 1, maxWaiting: 8 } }

/** Occupies the only slot until `release`, and records the order in which others run. */
function blockedQueue() {
  const queue = new FairQueue({ maxRunning: 1, maxWaitingPerKey: 5, lanes })
  const { promise, resolve } = Promise.withResolvers<void>()
  const order: string[] = []
  const blocked = queue.run({ lane: 'first', key: 'blocker' }, () => promise)
  const add = (lane: 'first' | 'second', key: string, name = key): Promise<void> =>
    queue.run({ lane, key }, async () => void order.push(name))
  const release = async (tasks: readonly Promise<unknown>[]): Promise<string[]> => {
    resolve()
    await Promise.allSettled([blocked, ...tasks])
    return order
  }
  return { queue, add, release }
}

test('keys take turns, whatever the number of their tasks', async () => {
  const { add, release } = blockedQueue()
  const tasks = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => add('first', name.charAt(0), name))
  assert.deepEqual(await release(tasks), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('lanes share the slots by weight, and none is starved', async () => {
  const { add, release } = blockedQueue()
  const tasks = [
    ...['s1', 's2', 's3'].map((name) => add('second', name)),
    ...['f1', 'f2', 'f3', 'f4', 'f5', 'f6'].map((name) => add('first', name)),
  ]
  const order = await release(tasks)
  assert.deepEqual(order.slice(0, 5).toSorted(), ['f1', 'f2', 'f3', 'f4', 's1'])
  assert.equal(order.length, 9)
})

test('a key is limited to its room, and other keys still have room', async () => {
  const { queue, add, release } = blockedQueue()
  const tasks = Array.from({ length: 5 }, () => add('first', 'a'))
  assert.equal(queue.hasRoom({ lane: 'first', key: 'a' }), false)
  await assert.rejects(add('first', 'a'), QueueFull)
  assert.equal(queue.hasRoom({ lane: 'first', key: 'b' }), true)
  assert.equal(queue.hasRoom({ lane: 'second', key: 'a' }), true)
  assert.equal((await release([...tasks, add('first', 'b')])).length, 6)
})

test('in a full lane the longest key gives way to a new one', async () => {
  const { queue, add, release } = blockedQueue()
  const tasks = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3'].map((name) => add('first', name.charAt(0), name))
  assert.equal(queue.hasRoom({ lane: 'first', key: 'c' }), true)
  const outcome = Promise.allSettled(tasks)
  const newcomer = add('first', 'c', 'c1')
  assert.deepEqual(await release([...tasks, newcomer]), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'b3', 'a4'])
  const refused = (await outcome).map(({ status }) => status)
  assert.deepEqual(refused.indexOf('rejected'), 4, 'a5 was refused')
})

test('a full lane refuses a newcomer if no key has more', async () => {
  const { queue, add, release } = blockedQueue()
  const tasks = Array.from({ length: 8 }, (_, i) => add('first', `${i}`))
  assert.equal(queue.hasRoom({ lane: 'first', key: 'new' }), false)
  await assert.rejects(add('first', 'new'), QueueFull)
  assert.equal((await release(tasks)).length, 8)
})

test('a failure releases its slot', async () => {
  const queue = new FairQueue({ maxRunning: 1, maxWaitingPerKey: 1, lanes })
  const turn = { lane: 'first', key: 'a' } as const
  await assert.rejects(
    queue.run(turn, () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await queue.run(turn, async () => 'yes'), 'yes')
})
