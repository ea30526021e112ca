import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connectTcp } from '../../src/outbound/connect.ts'
import { startDeadline, untilAborted } from '../../src/outbound/deadline.ts'
import { DeadlineError } from '../../src/outbound/errors.ts'
import { never } from './fixtures.ts'

/** Deadlines pass when the test says so. */
function controlTime() {
  let nowMs = performance.now()
  mock.timers.enable({ apis: ['setTimeout'] })
  const now = mock.method(performance, 'now', () => nowMs)
  return {
    async pass(ms: number, lateMs = 0) {
      nowMs += ms + lateMs
      mock.timers.tick(ms)
      await nextTurn()
    },
    [Symbol.dispose]() {
      now.mock.restore()
      mock.timers.reset()
    },
  }
}

test('a deadline aborts with its own error', async () => {
  using time = controlTime()
  using deadline = startDeadline(20)
  await time.pass(19)
  assert.equal(deadline.signal.aborted, false)
  await time.pass(1)
  const { reason } = deadline.signal
  assert.ok(reason instanceof DeadlineError)
  assert.equal(reason.message, 'No response within 20 ms')
  assert.equal(reason.isLocalFault, false)
})

test('a deadline aborts with the reason of its parent', () => {
  const parent = new AbortController()
  using cancelled = startDeadline(1000, parent.signal)
  parent.abort('stop')
  assert.equal(cancelled.signal.reason, 'stop')
  using late = startDeadline(1000, parent.signal)
  assert.equal(late.signal.reason, 'stop')
})

test('a disposed deadline does not abort and leaves no listener', async () => {
  using time = controlTime()
  const parent = new AbortController()
  const deadline = startDeadline(20, parent.signal)
  deadline[Symbol.dispose]()
  await time.pass(1000)
  parent.abort()
  assert.equal(deadline.signal.aborted, false)
  assert.equal(getEventListeners(parent.signal, 'abort').length, 0)
})

test('a timer that fires more than a second late is a local fault', async () => {
  using time = controlTime()
  using deadline = startDeadline(20)
  await time.pass(20, 1001)
  assert.equal((deadline.signal.reason as DeadlineError).isLocalFault, true)
})

test('a response that arrived while the event loop was blocked is read before the deadline aborts', async () => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const script = `
    const { parentPort, workerData } = require('node:worker_threads')
    const server = require('node:net').createServer((socket) => {
      // Written when the main thread asks for it; the flag then says that it was.
      parentPort.on('message', () => socket.write('x', () => {
        Atomics.store(workerData, 0, 1)
        Atomics.notify(workerData, 0)
      }))
      parentPort.postMessage('accepted')
    })
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`
  const worker = new Worker(script, { eval: true, workerData: flag })
  const [port] = await once(worker, 'message')
  const accepted = once(worker, 'message')
  const { socket } = await connectTcp(['127.0.0.1'], port, never)
  await accepted
  const order: string[] = []
  socket.on('data', () => order.push('data'))
  using deadline = startDeadline(1)
  const aborted = once(deadline.signal, 'abort').then(() => order.push('deadline'))
  worker.postMessage('write')
  Atomics.wait(flag, 0, 0)
  for (const startedAt = performance.now(); performance.now() - startedAt < 5; );
  await aborted
  assert.deepEqual(order, ['data', 'deadline'])
  socket.destroy()
  await worker.terminate()
})

test('work that cannot be cancelled is awaited until the signal aborts', async () => {
  const controller = new AbortController()
  assert.equal(await untilAborted(Promise.resolve('done'), controller.signal), 'done')
  const waiting = untilAborted(new Promise(() => {}), controller.signal)
  controller.abort('enough')
  await assert.rejects(waiting, (reason) => reason === 'enough')
  await assert.rejects(untilAborted(new Promise(() => {}), controller.signal), (reason) => reason === 'enough')
})
