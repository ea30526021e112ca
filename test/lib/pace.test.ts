import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace, restAfter, sizeAfter } from '../../src/lib/pace.ts'

const steps = { first: 100, most: 1_000, rests: 4 }

test('steps become smaller when they take long and larger when they are short, within limits', () => {
  assert.equal(sizeAfter(400, 50, 1_000), 200)
  assert.equal(sizeAfter(400, 2, 1_000), 400)
  assert.equal(sizeAfter(100, 0.5, 1_000), 200)
  assert.equal(sizeAfter(900, 0.5, 1_000), 1_000)
  assert.equal(sizeAfter(200, 500, 1_000), 125)
  assert.equal(sizeAfter(50, 500, 1_000), 50)
})

test('a rest is a multiple of the step, at most a second', () => {
  assert.equal(restAfter(10, 4), 40)
  assert.equal(restAfter(0, 4), 1)
  assert.equal(restAfter(900, 4), 1_000)
})

test('the size of steps adapts to what they take', async () => {
  const pace = new Pace({ ...steps, rests: 0 })
  const sizes: number[] = []
  for (let i = 0; i < 5; i += 1) {
    await pace.step(async (size) => {
      sizes.push(size)
      return i
    })
  }
  assert.deepEqual(sizes, [100, 200, 400, 800, 1_000])
})

test('a stop ends the rest, and the result of the step is returned', async () => {
  const stopping = new AbortController()
  const pace = new Pace({ ...steps, rests: 1e9 }, stopping.signal)
  const result = await pace.step(async () => {
    setImmediate(() => stopping.abort())
    return 'done'
  })
  assert.equal(result, 'done')
  assert.equal(pace.isStopped, true)
})
