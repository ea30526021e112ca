import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import zlib from 'node:zlib'
import { probeHttp } from '../../../../src/monitoring/monitor-types/http/probe.ts'
import { probeKeyword } from '../../../../src/monitoring/monitor-types/keyword/probe.ts'
import { listen, never, OK, raw, unresponsivePort } from '../../../outbound/fixtures.ts'
import { startVirtualTime } from '../../../outbound/virtual-time.ts'
import { closedPort } from '../../../support/ports.ts'
import { type ShownSample, shownSample } from '../../../support/reasons.ts'
import { checkHttp, guard } from '../probing.ts'
import { targetOf } from '../target.ts'

const TIMEOUT_MS = 400

/** Writes repeatedly until the connection is closed. */
function keepWriting(socket: net.Socket, everyMs: number, next: () => string | Buffer): void {
  const timer = setInterval(() => socket.write(next()), everyMs)
  socket.on('close', () => clearInterval(timer))
}

/** Writes as fast as the client reads. */
function flood(socket: net.Socket, chunk: string | Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', pour)
  pour()
}

const HEAD = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`
const CHUNK = `10000\r\n${'x'.repeat(0x10000)}\r\n`

type Talk = (socket: net.Socket, request: string) => void

/** Targets that never finish; the check must. */
const ENDLESS: [string, Talk, RegExp][] = [
  ['no answer', () => {}, /^No response within 400 ms$/],
  ['a head that arrives byte by byte', (socket) => drip(socket, '', 'H'), /Invalid HTTP/],
  ['a header line that never ends', (socket) => drip(socket, `${HEAD}X-A: `, 'a'), /^No response within 400 ms$/],
  ['headers, one every few ms', (socket) => drip(socket, HEAD, 'X-A: b\r\n'), /^No response within 400 ms$/],
  [
    'headers as fast as they go',
    (socket) => socket.write(HEAD) && flood(socket, 'X-A: b\r\n'.repeat(500)),
    /^The response headers are larger than 64 KiB$/,
  ],
  [
    'interim answers',
    (socket) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    /^Invalid HTTP response: it has more than 8 interim responses$/,
  ],
  [
    'a reason phrase that never ends',
    (socket) => socket.write('HTTP/1.1 200 ') && flood(socket, 'a'.repeat(9999)),
    /^The response headers are larger than 64 KiB$/,
  ],
  [
    'chunks of one byte with long extensions',
    (socket) => socket.write(CHUNKED) && flood(socket, `1;${'a'.repeat(4000)}\r\nx\r\n`),
    /^Invalid HTTP response: its headers and chunk sizes are larger than 256 KiB$/,
  ],
  [
    'a body that stands still',
    (socket) => socket.write(`${HEAD}Content-Length: 9\r\n\r\nhalf`),
    /^Response not complete after 400 ms$/,
  ],
  [
    'a body byte by byte',
    (socket) => drip(socket, `${HEAD}Content-Length: 99999\r\n\r\n`, 'x'),
    /^Response not complete after 400 ms$/,
  ],
  ['chunks byte by byte', (socket) => drip(socket, CHUNKED, '1\r\nx\r\n'), /^Response not complete after 400 ms$/],
  [
    'a chunk extension that never ends',
    (socket) => socket.write(`${CHUNKED}5;a=`) && flood(socket, 'a'.repeat(9999)),
    /Invalid HTTP/,
  ],
  [
    'trailers that never end',
    (socket) => drip(socket, `${CHUNKED}0\r\n`, 'X-A: b\r\n'),
    /^Response not complete after 400 ms$/,
  ],
]

function drip(socket: net.Socket, start: string, piece: string): void {
  socket.write(start)
  keepWriting(socket, 5, () => piece)
}

/** Targets that break the protocol and finish. */
const BROKEN: [string, Talk, RegExp][] = [
  ['closes at once', (socket) => socket.end(), /^Connection closed without a response$/],
  ['resets', (socket) => socket.resetAndDestroy(), /^Connection closed without a response$/],
  ['breaks off in the head', (socket) => socket.end(`${HEAD}Content-Le`), /^Connection closed without a response$/],
  [
    'breaks off in the body',
    (socket) => socket.end(`${HEAD}Content-Length: 9\r\n\r\nhalf`),
    /^Connection closed before the response was complete$/,
  ],
  [
    'breaks off between chunks',
    (socket) => socket.end(`${CHUNKED}4\r\nhalf\r\n`),
    /^Connection closed before the response was complete$/,
  ],
  [
    'resets in the body',
    (socket) => resetAfter(socket, `${HEAD}Content-Length: 9\r\n\r\nhalf`),
    /^Connection closed before the response was complete$/,
  ],
  [
    'sends a bad chunk',
    (socket) => socket.write(`${CHUNKED}zz\r\n`),
    /^Invalid HTTP response: a chunk size is not a number$/,
  ],
  [
    'speaks something else',
    (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    /^Invalid HTTP response: it does not start with HTTP\/1/,
  ],
  [
    'sends two lengths',
    (socket) => socket.write(`${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`),
    /^Invalid HTTP response/,
  ],
  ['sends rubbish', (socket) => socket.write(Buffer.alloc(5000, 0xff)), /^Invalid HTTP response/],
]

function resetAfter(socket: net.Socket, text: string): void {
  // The client reads the text first: a virtual second takes 200 turns of the event loop.
  socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 50))
}

/** Targets that are odd but up. */
const ODD: [string, Talk][] = [
  ['ends its body by closing', (socket) => socket.end(`${HEAD}\r\nhello`)],
  ['keeps the connection open', (socket) => socket.write(OK)],
  ['sends more than it announced', (socket) => socket.write(`${OK}and more`)],
  ['sends interim answers first', (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${OK}`)],
  ['never ends its body, at full speed', (socket) => socket.write(CHUNKED) && flood(socket, CHUNK)],
  ['sends large headers', (socket) => socket.write(`${HEAD}X-A: ${'a'.repeat(60_000)}\r\nContent-Length: 0\r\n\r\n`)],
  ['sends a broken gzip that nobody unpacks', (socket) => socket.end(`${HEAD}Content-Encoding: gzip\r\n\r\nplain`)],
]

/** Makes one probe, which must close its connection. `talk` answers each request. */
async function visit(talk: Talk): Promise<ShownSample> {
  await using server = await listen(raw(talk))
  const sample = await checkHttp({ url: `http://127.0.0.1:${server.port}/`, timeoutMs: TIMEOUT_MS })
  await server.quiet()
  return sample
}

describe('a check ends in time and closes its socket', { concurrency: true }, () => {
  let time: Disposable
  before(() => {
    time = startVirtualTime()
  })
  after(() => time[Symbol.dispose]())

  for (const [what, talk, sentence] of ENDLESS) {
    test(`when the target never finishes: ${what}`, async () => {
      const sample = await visit(talk)
      assert.ok(sample.outcome === 'failure', JSON.stringify(sample))
      assert.match(sample.error, sentence)
      assert.equal(sample.kind, 'connection')
      assert.equal(sample.code, sentence.source.includes('400 ms') ? 'TIMEOUT' : 'CONNECT')
    })
  }

  test('when the target never finishes: no connection', async () => {
    await using silent = await unresponsivePort()
    const url = `http://127.0.0.1:${silent.port}/`
    const sample = await checkHttp({ url, timeoutMs: TIMEOUT_MS })
    const error = 'Connection to 127.0.0.1 timed out after 400 ms'
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', kind: 'connection', error })
  })

  test('when the target never finishes: no TLS handshake', async () => {
    await using server = await listen(net.createServer((socket) => socket.resume()))
    const url = `https://127.0.0.1:${server.port}/`
    const sample = await checkHttp({ url, timeoutMs: TIMEOUT_MS })
    const error = 'TLS handshake with 127.0.0.1 timed out after 400 ms'
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', kind: 'connection', error })
    await server.quiet()
  })

  test('when the target never finishes: slow redirects', async () => {
    const sample = await visit((socket) => {
      setTimeout(() => socket.end('HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n'), 90)
    })
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT' })
  })

  for (const [what, talk, sentence] of BROKEN) {
    test(`a target that ${what} is down`, async () => {
      const sample = await visit(talk)
      assert.ok(sample.outcome === 'failure', JSON.stringify(sample))
      assert.match(sample.error, sentence)
      assert.partialDeepStrictEqual(sample, { code: 'CONNECT', kind: 'connection', ip: '127.0.0.1' })
    })
  }

  for (const [what, talk] of ODD) {
    test(`a target that ${what} is up`, async () => {
      const sample = await visit(talk)
      assert.equal(sample.outcome, 'success', JSON.stringify(sample))
    })
  }

  test('a compressed body without end that unpacks to nothing is read only as far as 2 MiB', async () => {
    const [header, emptyBlock] = [zlib.gzipSync('').subarray(0, 10), Buffer.from([0, 0, 0, 0xff, 0xff])]
    const talk: Talk = (socket) => {
      socket.write(Buffer.concat([Buffer.from(`${HEAD}Content-Encoding: gzip\r\n\r\n`), header]))
      flood(socket, Buffer.alloc(50_000, emptyBlock))
    }
    await using server = await listen(raw(talk))
    const parts = { url: `http://127.0.0.1:${server.port}/`, keyword: 'x', keywordMatch: 'EXISTS' as const }
    const sample = await shownSample(probeKeyword(targetOf({ ...parts, timeoutMs: 60_000 }), { guard }, never))
    assert.partialDeepStrictEqual(sample, { error: 'Invalid HTTP response: it is larger than 2 MiB' })
  })

  test('an endless compressed error page is read only as far as the excerpt', async () => {
    const mebibyte = zlib.gzipSync(Buffer.alloc(1024 * 1024, 'x'))
    const sample = await visit((socket) => {
      socket.write('HTTP/1.1 500 Oh\r\nContent-Encoding: gzip\r\n\r\n')
      flood(socket, mebibyte)
    })
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'STATUS', excerpt: 'x'.repeat(2048) })
    assert.ok(sample.outcome === 'failure' && (sample.responseMs ?? 0) < TIMEOUT_MS)
  })
})

describe('local faults', () => {
  test('a cancelled check is inconclusive, before and during', async () => {
    const before = await shownSample(
      probeHttp(targetOf({ url: 'http://127.0.0.1:1/' }), { guard }, AbortSignal.abort()),
    )
    assert.deepEqual(before, { outcome: 'inconclusive', reason: 'The check was cancelled' })
    const controller = new AbortController()
    await using server = await listen(raw(() => controller.abort()))
    const url = `http://127.0.0.1:${server.port}/`
    const during = await shownSample(probeHttp(targetOf({ url }), { guard }, controller.signal))
    assert.deepEqual(during, { outcome: 'inconclusive', reason: 'The check was cancelled' })
    await server.quiet()
  })

  test('a probe removes its listener from the signal', async () => {
    const { signal } = new AbortController()
    await using server = await listen(raw((socket) => socket.end(OK)))
    for (const url of [`http://127.0.0.1:${server.port}/`, `http://127.0.0.1:${await closedPort()}/`, 'nonsense']) {
      await shownSample(probeHttp(targetOf({ url }), { guard }, signal))
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })
})
