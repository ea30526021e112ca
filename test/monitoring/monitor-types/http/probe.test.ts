import assert from 'node:assert/strict'
import http from 'node:http'
import { describe, test } from 'node:test'
import zlib from 'node:zlib'
import type { FullTarget } from '../../../../src/monitoring/monitor-types/definitions.ts'
import { describeStatuses, unexpectedStatus } from '../../../../src/monitoring/monitor-types/http/unexpected-status.ts'
import { listen, OK, raw } from '../../../outbound/fixtures.ts'
import { startVirtualTime } from '../../../outbound/virtual-time.ts'
import { closedPort } from '../../../support/ports.ts'
import { inEnglish, type ShownSample } from '../../../support/reasons.ts'
import { checkHttp, guardKnowing } from '../probing.ts'

async function sentBy(parts: Partial<FullTarget>): Promise<{ request: string; port: number; sample: ShownSample }> {
  let seen = ''
  await using server = await listen(
    raw((socket, request) => {
      seen = request
      socket.end(OK)
    }),
  )
  const sample = await checkHttp({ url: `http://127.0.0.1:${server.port}/a/b?c=d#e`, ...parts })
  return { request: seen, port: server.port, sample }
}

describe('the request', () => {
  test('has default headers, and a success has address, status and timings', async () => {
    const { request, port, sample } = await sentBy({})
    assert.equal(
      request,
      `GET /a/b?c=d HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: Pharos/1 (uptime check)\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
    )
    assert.partialDeepStrictEqual(sample, { outcome: 'success', ip: '127.0.0.1', statusCode: 200 })
    assert.ok(sample.outcome === 'success' && Number.isInteger(sample.responseMs))
    assert.deepEqual(Object.keys(sample.timings ?? {}), ['connectMs', 'firstByteMs', 'downloadMs'])
    assert.equal(sample.certificate, undefined)
  })

  test('has the method, headers and body of the monitor', async () => {
    const requestHeaders = { 'user-agent': 'me', ACCEPT: 'text/html', host: 'shop.test', 'X-Empty': '', 'X-Any': 'é' }
    const { request } = await sentBy({ method: 'POST', requestHeaders, requestBody: 'grün' })
    assert.ok(
      request.startsWith('POST /a/b?c=d HTTP/1.1\r\nuser-agent: me\r\nACCEPT: text/html\r\nhost: shop.test\r\n'),
    )
    assert.match(request, /X-Empty: \r\nX-Any: \xe9\r\nContent-Length: 5\r\nConnection: close\r\n\r\ngr\xc3\xbcn$/)
  })

  test('ignores headers of the monitor that frame the message', async () => {
    const requestHeaders = { 'Content-Length': '99', 'Transfer-Encoding': 'chunked', Connection: 'keep-alive' }
    const { request } = await sentBy({ method: 'PUT', requestHeaders })
    assert.match(request, /Content-Length: 0\r\nConnection: close\r\n\r\n$/)
    assert.doesNotMatch(request, /Content-Length: 99|chunked|keep-alive/)
  })

  test('credentials of the URL become a header, unless the monitor has its own', async () => {
    const seen: (string | undefined)[] = []
    await using server = await listen(
      http.createServer((request, response) => {
        seen.push(request.headers.authorization)
        response.end()
      }),
    )
    const url = `http://me:p%40ss@127.0.0.1:${server.port}/`
    await checkHttp({ url })
    await checkHttp({ url, requestHeaders: { authorization: 'Bearer mine' } })
    assert.deepEqual(seen, [`Basic ${btoa('me:p@ss')}`, 'Bearer mine'])
  })

  test('with a header that cannot be sent fails before any connection', async () => {
    await using server = await listen(raw((socket) => socket.end(OK)))
    const bad: [Record<string, string>, string][] = [
      [{ 'bad name': 'x' }, 'The request header name "bad name" is not valid'],
      [{ '': 'x' }, 'The request header name "" is not valid'],
      [{ 'X-A': 'a\r\nX-B: b' }, 'The value of the request header X-A contains characters that cannot be sent'],
      [{ 'X-A': '日本' }, 'The value of the request header X-A contains characters that cannot be sent'],
    ]
    for (const [requestHeaders, error] of bad) {
      const sample = await checkHttp({ url: `http://127.0.0.1:${server.port}/`, requestHeaders })
      assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT', kind: 'content', error })
    }
    assert.equal(server.connections(), 0)
  })

  test('with an invalid URL fails', async () => {
    for (const url of [null, '', 'nonsense', 'ftp://example.test/', 'http://a:99999/']) {
      assert.partialDeepStrictEqual(await checkHttp({ url }), { outcome: 'failure', code: 'CONNECT', kind: 'content' })
    }
  })
})

describe('the status', () => {
  const answering = (status: number, headers: http.OutgoingHttpHeaders = {}, body: string | Buffer = '') =>
    listen(http.createServer((_request, response) => response.writeHead(status, headers).end(body)))

  test('an unexpected one fails with a message and an excerpt', async () => {
    await using server = await answering(
      503,
      { 'content-type': 'text/plain; charset=iso-8859-1' },
      Buffer.from('f\xfcr dich\0', 'latin1'),
    )
    const sample = await checkHttp({ url: `http://127.0.0.1:${server.port}/` })
    assert.partialDeepStrictEqual(sample, {
      outcome: 'failure',
      code: 'STATUS',
      kind: 'content',
      error: 'HTTP 503 Service Unavailable (expected 2xx or 3xx)',
      excerpt: 'für dich\uFFFD',
      statusCode: 503,
    })
    await server.quiet()
  })

  test('an excerpt is decoded, and at most 2048 characters long', async () => {
    const page = zlib.gzipSync('é'.repeat(100_000))
    await using server = await answering(500, { 'content-encoding': 'gzip' }, page)
    const sample = await checkHttp({ url: `http://127.0.0.1:${server.port}/` })
    assert.ok(sample.outcome === 'failure')
    assert.equal(sample.excerpt, 'é'.repeat(2048))
  })

  test('a slow error page delays the verdict by a second at most', async () => {
    using _time = startVirtualTime()
    await using server = await listen(raw((socket) => socket.write('HTTP/1.1 500 Oh\r\nContent-Length: 9\r\n\r\nhalf')))
    const sample = await checkHttp({ url: `http://127.0.0.1:${server.port}/`, timeoutMs: 10_000 })
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'STATUS', excerpt: 'half' })
    assert.ok(sample.outcome === 'failure' && (sample.responseMs ?? 0) < 2000)
    await server.quiet()
  })

  test('any status may be expected, without a body or with an endless one', async () => {
    for (const status of [204, 304, 404, 418, 599]) {
      await using server = await answering(status)
      assert.equal(
        (await checkHttp({ url: `http://127.0.0.1:${server.port}/`, expectedStatus: [status] })).outcome,
        'success',
      )
    }
    await using events = await listen(
      raw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n')),
    )
    assert.equal((await checkHttp({ url: `http://127.0.0.1:${events.port}/` })).outcome, 'success')
    await using head = await answering(200, { 'content-length': '5' })
    assert.equal((await checkHttp({ url: `http://127.0.0.1:${head.port}/`, method: 'HEAD' })).outcome, 'success')
  })

  test('a protocol switch can be expected, for WebSocket monitors', async () => {
    const server = http.createServer().on('upgrade', (request, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${request.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`,
      )
    })
    await using listener = await listen(server)
    const url = `http://127.0.0.1:${listener.port}/`
    const sample = await checkHttp({ url, expectedStatus: [101], requestHeaders: { Upgrade: 'websocket' } })
    assert.partialDeepStrictEqual(sample, { outcome: 'success', statusCode: 101 })
  })

  test('a list of statuses is shortened', () => {
    assert.deepEqual(describeStatuses([404, 200, 201, 202, 200, 301, 302], 500), ['200–202', '301', '302', '404'])
    assert.deepEqual(describeStatuses([200], 500), ['200'])
  })

  test('most of a class is named as the class, unless the response is of that class', () => {
    const byDefault = [200, 201, 202, 203, 204, 205, 206, 301, 302, 307, 308]
    assert.equal(inEnglish(unexpectedStatus(500, byDefault)), 'HTTP 500 Internal Server Error (expected 2xx or 3xx)')
    assert.equal(
      inEnglish(unexpectedStatus(304, byDefault)),
      'HTTP 304 Not Modified (expected 2xx, 301, 302, 307 or 308)',
    )
    assert.equal(inEnglish(unexpectedStatus(599, [200, 204])), 'HTTP 599 (expected 200 or 204)')
  })
})

test('an unreachable target fails with the reason', async () => {
  const port = await closedPort()
  const refused = await checkHttp({ url: `http://127.0.0.1:${port}/` })
  const error = `Connection refused by 127.0.0.1:${port}`
  assert.partialDeepStrictEqual(refused, { outcome: 'failure', code: 'CONNECT', kind: 'connection', error })
  await using named = await guardKnowing('shop.test')
  const unknown = await checkHttp({ url: 'http://example.test/' }, named.guard)
  const sentence = 'Could not resolve example.test'
  assert.partialDeepStrictEqual(unknown, { outcome: 'failure', code: 'DNS', kind: 'connection', error: sentence })
})
