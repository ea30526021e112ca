import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGuard } from '../../src/outbound/guard.ts'
import { createHttpSender, type HttpSender } from '../../src/outbound/http-sender.ts'
import type { HttpResult, OutgoingRequest } from '../../src/outbound/outgoing-request.ts'
import { listen, OK } from './fixtures.ts'

const open = (): HttpSender => createHttpSender({ guard: createGuard({ policy: 'allow' }) })

const requestTo = (port: number, body = '{}'): OutgoingRequest => ({
  url: `http://127.0.0.1:${port}/hook`,
  headers: {},
  body,
})

function assertAnswered(result: HttpResult): asserts result is Extract<HttpResult, { answered: true }> {
  assert.ok(result.answered, JSON.stringify(result))
}

describe('reused connections', () => {
  test('are as many as there were requests at once', async () => {
    await using receiver = await listen(http.createServer((_request, response) => response.end('ok')))
    const sender = open()
    for (let i = 0; i < 20; i += 1) assertAnswered(await sender.send(requestTo(receiver.port)))
    assert.equal(receiver.connections(), 1)
    await Promise.all(Array.from({ length: 4 }, () => sender.send(requestTo(receiver.port))))
    assert.equal(receiver.connections(), 4)
    assert.equal(sender.idleConnections, 4)
    sender.close()
    await receiver.quiet()
  })

  test('are closed when the server says so', async () => {
    await using receiver = await listen(
      http.createServer((_request, response) => response.writeHead(200, { connection: 'close' }).end('ok')),
    )
    const sender = open()
    for (let i = 0; i < 3; i += 1) assertAnswered(await sender.send(requestTo(receiver.port)))
    assert.equal(receiver.connections(), 3)
    assert.equal(sender.idleConnections, 0)
  })

  test('when the server closes one as it is reused, the request is sent on a new one', async () => {
    const bodies: string[] = []
    // Answers once on each connection and closes it when a second request comes.
    await using receiver = await listen(
      net.createServer((socket) => {
        let requests = 0
        socket.on('data', (chunk) => {
          requests += 1
          if (requests > 1) return void socket.destroy()
          bodies.push(String(chunk).split('\r\n\r\n')[1] ?? '')
          socket.write(OK)
        })
      }),
    )
    const sender = open()
    assertAnswered(await sender.send(requestTo(receiver.port, '1')))
    const second = await sender.send(requestTo(receiver.port, '2'))
    sender.close()
    assertAnswered(second)
    assert.deepEqual(bodies, ['1', '2'])
  })

  test('a response that breaks off on one is a failure', async () => {
    await using receiver = await listen(
      net.createServer((socket) => {
        let requests = 0
        socket.on('data', () => {
          requests += 1
          if (requests === 1) socket.write(OK)
          else socket.end('HTTP/1.1 200 OK\r\nContent-Le')
        })
      }),
    )
    const sender = open()
    assertAnswered(await sender.send(requestTo(receiver.port)))
    const second = await sender.send(requestTo(receiver.port))
    assert.partialDeepStrictEqual(second, { answered: false, code: 'CONNECT', isLocalFault: false })
    assert.equal(receiver.connections(), 1)
  })

  test('bytes that no request asked for are not taken for the next response', async () => {
    const accepted: net.Socket[] = []
    await using receiver = await listen(
      net.createServer((socket) => {
        accepted.push(socket)
        socket.once('data', () => socket.write(OK))
      }),
    )
    const sender = open()
    assertAnswered(await sender.send(requestTo(receiver.port)))
    accepted[0]?.write('HTTP/1.1 500 Poison\r\nContent-Length: 0\r\n\r\n')
    // Closing the connection is the reaction to these bytes.
    while (sender.idleConnections > 0 && accepted[0]?.closed === false) await nextTurn()
    const next = await sender.send(requestTo(receiver.port))
    sender.close()
    assertAnswered(next)
    assert.equal(next.status, 200)
    assert.equal(receiver.connections(), 2)
  })
})
