import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Semaphore } from '../../src/lib/semaphore.ts'

test('runs a few at once, and the others in order', async () => {
  const semaphore = new Semaphore(2)
  const gates = new Map(['a', 'b', 'c', 'd'].map((name) => [name, gate()]))
  const started: string[] = []
  const results = [...gates].map(([name, { opened }]) =>
    semaphore.run(async () => {
      started.push(name)
      await opened
      return name
    }),
  )
  assert.deepEqual(started, ['a', 'b'])
  gates.get('b')?.open()
  assert.equal(await results[1], 'b')
  for (const name of ['a', 'c', 'd']) gates.get(name)?.open()
  assert.deepEqual(await Promise.all([results[0], results[2], results[3]]), ['a', 'c', 'd'])
  assert.deepEqual(started, ['a', 'b', 'c', 'd'])
})

test('a failure releases its slot', async () => {
  const semaphore = new Semaphore(1)
  await assert.rejects(semaphore.run(() => Promise.reject(new Error('no'))))
  assert.equal(await semaphore.run(async () => 'yes'), 'yes')
})

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
