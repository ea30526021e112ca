import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import http from 'node:http'
import { test } from 'node:test'
import type { FullTarget } from '../../../../src/monitoring/monitor-types/definitions.ts'
import { listen } from '../../../outbound/fixtures.ts'
import type { ShownSample } from '../../../support/reasons.ts'
import { checkHttp } from '../probing.ts'

const probe = (url: string, parts: Partial<FullTarget> = {}): Promise<ShownSample> =>
  checkHttp({ url, request: { protocol: 'WEBSOCKET' }, ...parts })

const acceptOf = (key: string) =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** Upgrades `/`, redirects `/old` to it, and answers other paths with 200. */
async function startServer(accept = acceptOf) {
  const frames: Buffer[] = []
  const server = http.createServer((request, response) =>
    request.url === '/old' ? response.writeHead(302, { location: '/' }).end() : response.end('no'),
  )
  server.on('upgrade', (request, socket) => {
    if (request.url === '/old') return socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n')
    if (request.url !== '/') return socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno')
    const key = accept(request.headers['sec-websocket-key'] ?? '')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
    )
    return socket.on('data', (frame) => frames.push(frame)).on('end', () => socket.end())
  })
  return { ...(await listen(server)), frames }
}

test('an accepted upgrade is up, also after a redirect, and the connection is closed with a close frame', async () => {
  await using server = await startServer()
  assert.partialDeepStrictEqual(await probe(`http://127.0.0.1:${server.port}/`), {
    outcome: 'success',
    statusCode: 101,
  })
  assert.equal((await probe(`http://127.0.0.1:${server.port}/old`)).outcome, 'success')
  await server.quiet()
  assert.deepEqual(server.frames[0], Buffer.from([0x88, 0x80, 0, 0, 0, 0]))
})

test('a server that does not upgrade, or not this request, is down', async () => {
  await using server = await startServer()
  assert.partialDeepStrictEqual(await probe(`http://127.0.0.1:${server.port}/page`), {
    outcome: 'failure',
    code: 'STATUS',
    error: 'HTTP 200 OK (expected 101)',
  })
  await using wrong = await startServer(() => acceptOf('another key'))
  assert.partialDeepStrictEqual(await probe(`http://127.0.0.1:${wrong.port}/`), {
    outcome: 'failure',
    code: 'STATUS',
    error: 'The server did not accept the WebSocket upgrade: its Sec-WebSocket-Accept is wrong',
  })
})

test('assertions about the headers of an accepted upgrade hold', async () => {
  await using server = await startServer()
  const check = (operator: 'EXISTS' | 'NOT_EXISTS') => {
    const assertion = { source: 'HEADER', path: 'upgrade', operator, severity: 'DOWN' } as const
    return probe(`http://127.0.0.1:${server.port}/`, { assertions: { assertions: [assertion] } })
  }
  assert.equal((await check('EXISTS')).outcome, 'success')
  assert.partialDeepStrictEqual(await check('NOT_EXISTS'), { outcome: 'failure', code: 'KEYWORD' })
})
