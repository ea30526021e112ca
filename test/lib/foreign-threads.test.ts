import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { QueueFull } from '../../src/lib/fair-queue.ts'
import { ForeignThreads } from '../../src/lib/foreign-threads.ts'
import { silentLog } from '../../src/lib/log.ts'
import { allocate, double, environment, loop, refuse, repeat } from './foreign-tasks.ts'

const MIB = 1024 * 1024
const entry = new URL('./foreign-tasks.ts', import.meta.url)

describe('threads for foreign text', () => {
  const threads = new ForeignThreads(entry, silentLog, 2_000)
  after(() => threads.close())

  test('return results, one after the other or side by side', async () => {
    const results = await Promise.all([1, 2, 3, 4].map((value) => threads.run(double, value, 'org')))
    assert.deepEqual(results, [2, 4, 6, 8])
  })

  test('pass on what a task throws', async () => {
    await assert.rejects(threads.run(refuse, 'No', 'org'), { name: 'Refused', message: 'No' })
    assert.equal(await threads.run(double, 5, 'org'), 10)
  })

  test('end a task at its deadline, and serve the next one', async () => {
    const message = 'takes too long to be read'
    await assert.rejects(threads.run(loop, null, 'org'), { name: 'ForeignWorkFailed', message })
    assert.equal(await threads.run(double, 6, 'org'), 12)
  })

  test('end a task that needs too much memory, and the process lives', async () => {
    const patient = new ForeignThreads(entry, silentLog, 60_000)
    const message = 'needs too much memory to be read'
    await assert.rejects(patient.run(allocate, null, 'org'), { name: 'ForeignWorkFailed', message })
    assert.equal(await patient.run(double, 7, 'org'), 14)
    await patient.close()
  })

  test('refuse a result of more than 24 MiB', async () => {
    assert.equal((await threads.run(repeat, 20 * MIB, 'org')).length, 20 * MIB)
    await assert.rejects(threads.run(repeat, 25 * MIB, 'org'), { message: 'The result is too large' })
  })

  test('refuse a fifth waiting task of one organization, and serve another one', async () => {
    const flood = Array.from({ length: 8 }, () => threads.run(loop, null, 'flood').catch((error: unknown) => error))
    const other = threads.run(double, 8, 'other')
    const errors = await Promise.all(flood)
    assert.ok(errors.some((error) => error instanceof QueueFull))
    assert.equal(await other, 16)
  })

  test('have no variables of the environment', async () => {
    assert.deepEqual(await threads.run(environment, null, 'org'), [])
  })

  test('end running tasks when the server stops', async () => {
    const stopped = new ForeignThreads(entry, silentLog, 60_000)
    const running = assert.rejects(stopped.run(loop, null, 'org'), { message: /the server is stopping/ })
    await stopped.close()
    await running
    await assert.rejects(stopped.run(double, 1, 'org'), { message: /the server is stopping/ })
  })
})
