import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connectTcp } from '../../src/outbound/connect.ts'
import { startDeadline } from '../../src/outbound/deadline.ts'
import { ConnectError, DeadlineError, socketError } from '../../src/outbound/errors.ts'
import { closedPort, listen, never, unresponsivePort } from './fixtures.ts'

const isLinux = process.platform === 'linux'

test('a connection says which address answered, and how soon', async () => {
  await using server = await listen(net.createServer())
  const { socket, address, connectMs } = await connectTcp(['127.0.0.1'], server.port, never)
  assert.equal(address, '127.0.0.1')
  assert.equal(socket.remotePort, server.port)
  assert.ok(connectMs >= 0 && connectMs < 1000)
  socket.destroy()
  await server.quiet()
})

test('an address that refuses is followed by the next', { skip: !isLinux }, async () => {
  await using server = await listen(net.createServer())
  const { socket, address } = await connectTcp(['127.0.0.2', '127.0.0.3', '127.0.0.1'], server.port, never)
  assert.equal(address, '127.0.0.1')
  socket.destroy()
})

test('an address that stays silent is overtaken by the next, and its socket is closed', {
  skip: !isLinux,
}, async () => {
  await using silent = await unresponsivePort('127.0.0.2')
  await using server = await listen(
    net.createServer((peer) => peer.resume()),
    '127.0.0.1',
    silent.port,
  )
  const openSockets = () => process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length
  const openBefore = openSockets()
  const startedAt = performance.now()
  const { socket, address } = await connectTcp(['127.0.0.2', '127.0.0.1'], server.port, never)
  assert.equal(address, '127.0.0.1')
  assert.ok(performance.now() - startedAt >= 240)
  socket.destroy()
  await server.quiet()
  assert.equal(openSockets(), openBefore)
})

test('when every address refuses, the sentence names the first', { skip: !isLinux }, async () => {
  const port = await closedPort()
  await assert.rejects(connectTcp(['127.0.0.1', '127.0.0.2'], port, never), (error: ConnectError) => {
    assert.ok(error instanceof ConnectError)
    assert.equal(error.message, `Connection refused by 127.0.0.1:${port}`)
    assert.equal(error.code, 'CONNECT')
    assert.equal(error.isLocalFault, false)
    return true
  })
})

test('one address refused by the target outweighs one without a route from here', { skip: !isLinux }, async () => {
  const port = await closedPort()
  // Linux has no route for TCP to a broadcast address, and sends nothing.
  await assert.rejects(connectTcp(['255.255.255.255', '127.0.0.1'], port, never), { isLocalFault: false })
  await assert.rejects(connectTcp(['255.255.255.255', 'ff02::1'], port, never), { isLocalFault: true })
})

test('no address at all is an error, not an endless wait', async () => {
  await assert.rejects(connectTcp([], 80, never), ConnectError)
})

test('an abort ends the attempt with its reason', { skip: !isLinux }, async () => {
  await using silent = await unresponsivePort('127.0.0.2')
  const controller = new AbortController()
  const attempt = connectTcp(['127.0.0.2'], silent.port, controller.signal)
  setTimeout(() => controller.abort('enough'), 20)
  await assert.rejects(attempt, (reason) => reason === 'enough')
  await assert.rejects(connectTcp(['127.0.0.1'], 1, controller.signal), (reason) => reason === 'enough')
})

test('faults of this machine are told from those of the target', () => {
  for (const code of ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'EPERM', 'EACCES', 'ENETUNREACH']) {
    assert.equal(socketError({ code }, '192.0.2.1', 80).isLocalFault, true, code)
  }
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ETIMEDOUT', 'EINVAL']) {
    assert.equal(socketError({ code }, '192.0.2.1', 80).isLocalFault, false, code)
  }
  assert.equal(socketError({ code: 'ECONNREFUSED' }, '::1', 80).message, 'Connection refused by [::1]:80')
})

function aborted(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => stop.addEventListener('abort', () => resolve()))
}

test('a deadline ends with its own error, a cancelled parent with the reason of the parent', async () => {
  using deadline = startDeadline(20)
  await aborted(deadline.signal)
  assert.ok(deadline.signal.reason instanceof DeadlineError)
  assert.equal(deadline.signal.reason.message, 'No answer within 20 ms')
  const parent = new AbortController()
  using cancelled = startDeadline(1000, parent.signal)
  parent.abort('stop')
  assert.equal(cancelled.signal.reason, 'stop')
  using late = startDeadline(1000, parent.signal)
  assert.equal(late.signal.reason, 'stop')
})

test('a deadline that was disposed of stays silent', async () => {
  const deadline = startDeadline(20)
  deadline[Symbol.dispose]()
  await delay(50)
  assert.equal(deadline.signal.aborted, false)
})

test('a deadline that comes much too late blames our own event loop', async () => {
  using deadline = startDeadline(20)
  block(1100)
  await aborted(deadline.signal)
  assert.equal((deadline.signal.reason as DeadlineError).isLocalFault, true)
})

test('an answer that arrived while we were busy is read before the deadline strikes', async () => {
  const script = `const s = require('node:net').createServer((c) => setTimeout(() => c.write('x'), 50))
    s.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(s.address().port))`
  const worker = new Worker(script, { eval: true })
  const [port] = await once(worker, 'message')
  const { socket } = await connectTcp(['127.0.0.1'], port, never)
  const order: string[] = []
  socket.on('data', () => order.push('data'))
  using deadline = startDeadline(100)
  deadline.signal.addEventListener('abort', () => order.push('deadline'))
  block(300)
  await aborted(deadline.signal)
  assert.deepEqual(order, ['data', 'deadline'])
  socket.destroy()
  await worker.terminate()
})

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
