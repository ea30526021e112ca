import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Semaphore, SemaphoreFull } from '../../src/lib/semaphore.ts'

test('runs a few at once, and the others in order', async () => {
  const semaphore = new Semaphore(2, 10)
  const gates = new Map(['a', 'b', 'c', 'd'].map((name) => [name, gate()]))
  const started: string[] = []
  const results = [...gates].map(([name, { opened }]) =>
    semaphore.run(async () => {
      started.push(name)
      await opened
      return name
    }, never),
  )
  await setImmediate()
  assert.deepEqual(started, ['a', 'b'])
  gates.get('b')?.open()
  assert.equal(await results[1], 'b')
  for (const name of ['a', 'c', 'd']) gates.get(name)?.open()
  assert.deepEqual(await Promise.all([results[0], results[2], results[3]]), ['a', 'c', 'd'])
  assert.deepEqual(started, ['a', 'b', 'c', 'd'])
})

test('a failure releases its slot', async () => {
  const semaphore = new Semaphore(1, 10)
  await assert.rejects(semaphore.run(() => Promise.reject(new Error('no')), never))
  assert.equal(await semaphore.run(async () => 'yes', never), 'yes')
})

test('refuses tasks beyond its queue', async () => {
  const semaphore = new Semaphore(1, 1)
  const first = gate()
  const running = semaphore.run(() => first.opened, never)
  const waiting = semaphore.run(async () => 'waited', never)
  await assert.rejects(
    semaphore.run(async () => 'never', never),
    SemaphoreFull,
  )
  first.open()
  await running
  assert.equal(await waiting, 'waited')
})

test('a task whose signal aborts leaves the queue and never runs', async () => {
  const semaphore = new Semaphore(1, 1)
  const first = gate()
  const running = semaphore.run(() => first.opened, never)
  const controller = new AbortController()
  const given = semaphore.run(() => Promise.reject(new Error('it ran')), controller.signal)
  controller.abort('enough')
  await assert.rejects(given, (reason) => reason === 'enough')
  const next = semaphore.run(async () => 'next', never)
  first.open()
  await running
  assert.equal(await next, 'next')
})

test('each key has slots of its own', async () => {
  const semaphore = new Semaphore(1, 0)
  const release = await semaphore.acquire(never, 'a')
  assert.equal(await semaphore.run(async () => 'b', never, 'b'), 'b')
  await assert.rejects(semaphore.acquire(never, 'a'), SemaphoreFull)
  release()
  assert.equal(await semaphore.run(async () => 'a', never, 'a'), 'a')
})

const never = new AbortController().signal

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
