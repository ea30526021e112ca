import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Attempts, Turnstile } from '../../../src/publishing/public-site/attempts.ts'

test('a subject may try so often within a window, and then must wait until it ends', () => {
  const attempts = new Attempts({ most: 2, windowMs: 1000 })
  assert.deepEqual([attempts.count('a', 0), attempts.count('a', 400), attempts.count('a', 700)], [0, 0, 300])
  assert.equal(attempts.count('b', 700), 0, 'others are not held up')
  assert.equal(attempts.count('a', 1000), 0)
})

test('an attempt that is forgiven does not count', () => {
  const attempts = new Attempts({ most: 1, windowMs: 1000 })
  attempts.count('a', 0)
  attempts.forgive('a')
  assert.equal(attempts.count('a', 1), 0)
  assert.equal(attempts.count('a', 2), 998)
})

test('a clock that is set back ends a window instead of prolonging it', () => {
  const attempts = new Attempts({ most: 1, windowMs: 1000 })
  attempts.count('a', 10_000)
  assert.equal(attempts.count('a', 0), 0)
})

test('a few run at once, in the order in which they came; beyond those that wait everybody is turned away', async () => {
  const turnstile = new Turnstile(2, 2)
  const running: string[] = []
  const gates = new Map<string, () => void>()
  const visit = (name: string) =>
    turnstile.pass(async () => {
      running.push(name)
      await new Promise<void>((open) => gates.set(name, open))
      return name
    })
  const visits = ['a', 'b', 'c', 'd', 'e'].map(visit)
  assert.equal(await visits[4], undefined)
  assert.deepEqual(running, ['a', 'b'])
  gates.get('b')?.()
  assert.equal(await visits[1], 'b')
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(running, ['a', 'b', 'c'])
  for (const name of ['a', 'c']) gates.get(name)?.()
  await Promise.all([visits[0], visits[2]])
  await new Promise((resolve) => setImmediate(resolve))
  gates.get('d')?.()
  assert.equal(await visits[3], 'd')
})

test('one that fails makes room for the next', async () => {
  const turnstile = new Turnstile(1, 1)
  await assert.rejects(turnstile.pass(() => Promise.reject(new Error('no'))))
  assert.equal(await turnstile.pass(async () => 'yes'), 'yes')
})
