import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { connectTcp } from '../../src/outbound/connect.ts'
import { ConnectError, socketError } from '../../src/outbound/errors.ts'
import { closedPort, freePort } from '../support/ports.ts'
import { listen, never, unresponsivePort } from './fixtures.ts'
import { startVirtualTime } from './virtual-time.ts'

const isLinux = process.platform === 'linux'

test('a connection has the address that accepted, and the time that it took', async () => {
  await using server = await listen(net.createServer())
  const { socket, address, connectMs } = await connectTcp(['127.0.0.1'], server.port, never)
  assert.equal(address, '127.0.0.1')
  assert.equal(socket.remotePort, server.port)
  assert.ok(connectMs >= 0)
  socket.destroy()
  await server.quiet()
})

test('an address that refuses is followed by the next', { skip: !isLinux }, async () => {
  await using server = await listen(net.createServer())
  const { socket, address } = await connectTcp(['127.0.0.2', '127.0.0.3', '127.0.0.1'], server.port, never)
  assert.equal(address, '127.0.0.1')
  socket.destroy()
})

test('a connection of a socket to itself counts as refused', { skip: !isLinux }, async (t) => {
  const { connect } = net
  // Usually the system chooses the port, and only rarely that of the target.
  t.mock.method(net, 'connect', (options: net.TcpNetConnectOpts) =>
    connect({ ...options, localAddress: '127.0.0.1', localPort: options.port }),
  )
  await assert.rejects(connectTcp(['127.0.0.1'], await freePort(), never), /refused/)
})

test('after 250 ms without an answer the next address is tried too, and the losing socket is closed', {
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
  using _time = startVirtualTime()
  const { socket, address, connectMs } = await connectTcp(['127.0.0.2', '127.0.0.1'], server.port, never)
  assert.equal(address, '127.0.0.1')
  assert.ok(connectMs >= 250)
  socket.destroy()
  await server.quiet()
  assert.equal(openSockets(), openBefore)
})

test('when every address refuses, the message names the first', { skip: !isLinux }, async () => {
  const port = await closedPort()
  await assert.rejects(connectTcp(['127.0.0.1', '127.0.0.2'], port, never), (error: ConnectError) => {
    assert.ok(error instanceof ConnectError)
    assert.equal(error.message, `Connection refused by 127.0.0.1:${port}`)
    assert.equal(error.code, 'CONNECT')
    assert.equal(error.isLocalFault, false)
    return true
  })
})

test('an address that the target refused outweighs one without a route', { skip: !isLinux }, async () => {
  const port = await closedPort()
  // Linux has no route for TCP to a broadcast address, and sends nothing.
  await assert.rejects(connectTcp(['255.255.255.255', '127.0.0.1'], port, never), { isLocalFault: false })
  await assert.rejects(connectTcp(['255.255.255.255', 'ff02::1'], port, never), { isLocalFault: true })
})

test('no address at all is an error', async () => {
  await assert.rejects(connectTcp([], 80, never), ConnectError)
})

test('an abort ends the attempt with its reason', { skip: !isLinux }, async () => {
  await using silent = await unresponsivePort('127.0.0.2')
  const controller = new AbortController()
  const attempt = connectTcp(['127.0.0.2'], silent.port, controller.signal)
  controller.abort('enough')
  await assert.rejects(attempt, (reason) => reason === 'enough')
  await assert.rejects(connectTcp(['127.0.0.1'], 1, controller.signal), (reason) => reason === 'enough')
})

test('faults of this machine are distinguished from those of the target', () => {
  for (const code of ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'EPERM', 'EACCES', 'ENETUNREACH']) {
    assert.equal(socketError({ code }, '192.0.2.1', 80).isLocalFault, true, code)
  }
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ETIMEDOUT', 'EINVAL']) {
    assert.equal(socketError({ code }, '192.0.2.1', 80).isLocalFault, false, code)
  }
  assert.equal(socketError({ code: 'ECONNREFUSED' }, '::1', 80).message, 'Connection refused by [::1]:80')
})
