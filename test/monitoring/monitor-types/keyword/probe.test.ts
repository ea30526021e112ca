import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import zlib from 'node:zlib'
import type { FullTarget } from '../../../../src/monitoring/monitor-types/definitions.ts'
import { probeKeyword } from '../../../../src/monitoring/monitor-types/keyword/probe.ts'
import { listen, never, raw } from '../../../outbound/fixtures.ts'
import { startVirtualTime } from '../../../outbound/virtual-time.ts'
import { type ShownSample, shownSample } from '../../../support/reasons.ts'
import { guard } from '../probing.ts'
import { targetOf } from '../target.ts'

interface Page {
  readonly headers?: http.OutgoingHttpHeaders
  readonly status?: number
  /** Sent piece by piece, each in a packet of its own. */
  readonly pieces: readonly (string | Buffer)[]
}

async function probe(
  keyword: string,
  { headers = {}, status = 200, pieces }: Page,
  parts: Partial<FullTarget> = {},
): Promise<ShownSample> {
  await using server = await listen(
    http.createServer(async (_request, response) => {
      response.writeHead(status, headers)
      for (const piece of pieces) {
        response.write(piece)
        // Lets the client read each piece on its own.
        if (pieces.length > 1) await delay(2)
      }
      response.end()
    }),
  )
  const target = targetOf({ url: `http://127.0.0.1:${server.port}/`, keyword, ...parts })
  const sample = await shownSample(probeKeyword(target, { guard }, never))
  await server.quiet()
  return sample
}

const found = async (keyword: string, page: Page) => {
  const sample = await probe(keyword, page)
  assert.ok(
    sample.outcome === 'success' || (sample.outcome === 'failure' && sample.code === 'KEYWORD'),
    JSON.stringify(sample),
  )
  return sample.outcome === 'success'
}

test('a keyword that must exist', async () => {
  assert.partialDeepStrictEqual(await probe('world', { pieces: ['hello world'] }), {
    outcome: 'success',
    statusCode: 200,
  })
  assert.partialDeepStrictEqual(await probe('World', { pieces: ['hello world'] }), {
    outcome: 'failure',
    code: 'KEYWORD',
    kind: 'content',
    error: 'Keyword "World" not found in the response',
    excerpt: 'hello world',
    statusCode: 200,
  })
})

test('a keyword that must not exist', async () => {
  const absent = { keywordMatch: 'NOT_EXISTS' } as const
  assert.partialDeepStrictEqual(await probe('error', { pieces: ['all is well'] }, absent), { outcome: 'success' })
  assert.partialDeepStrictEqual(await probe('error', { pieces: ['an error', ' came'] }, absent), {
    outcome: 'failure',
    code: 'KEYWORD',
    error: 'Keyword "error" found in the response',
  })
})

test('the status is judged first', async () => {
  const sample = await probe('hello', { status: 500, pieces: ['hello'] })
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'STATUS', excerpt: 'hello' })
})

test('a match may span chunks, even within a character', async () => {
  const bytes = Buffer.from('..straße..')
  for (let cut = 1; cut < bytes.length; cut++) {
    assert.ok(await found('straße', { pieces: [bytes.subarray(0, cut), bytes.subarray(cut)] }), `cut at ${cut}`)
  }
  assert.ok(await found('straße', { pieces: Array.from(bytes, (byte) => Buffer.from([byte])) }))
  assert.ok(await found('aab', { pieces: ['aa', 'aab'] }))
  assert.ok(!(await found('aba', { pieces: ['ab', 'ba'] })))
  assert.ok(await found('x', { pieces: ['a', 'x'] }))
})

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const CHARSETS: [string, Page][] = [
  ['UTF-8 without a word', { pieces: ['größe'] }],
  ['UTF-8 with a mark', { pieces: ['\uFEFFgröße'] }],
  [
    'ISO-8859-1',
    { headers: { 'content-type': 'text/html; charset=ISO-8859-1' }, pieces: [Buffer.from('größe', 'latin1')] },
  ],
  [
    'a quoted charset',
    { headers: { 'content-type': 'text/html;CHARSET="latin1"' }, pieces: [Buffer.from('größe', 'latin1')] },
  ],
  ['UTF-16 by its mark', { pieces: [Buffer.from('\uFEFFgröße', 'utf16le')] }],
  ['UTF-16BE by its mark, byte by byte', { pieces: [...utf16be('\uFEFFgröße')].map((byte) => Buffer.from([byte])) }],
  ['UTF-16BE by name', { headers: { 'content-type': 'text/plain; charset=utf-16be' }, pieces: [utf16be('größe')] }],
  ['a charset that nobody knows', { headers: { 'content-type': 'text/plain; charset=klingon' }, pieces: ['größe'] }],
]

for (const [what, page] of CHARSETS) {
  test(`text is decoded by its charset: ${what}`, async () => {
    assert.ok(await found('größe', page))
    assert.ok(!(await found('grösse', page)))
  })
}

test('other scripts', async () => {
  const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b])
  assert.ok(await found('日本', { headers: { 'content-type': 'text/html; charset=shift_jis' }, pieces: [shiftJis] }))
  const cyrillic = Buffer.from([0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
  assert.ok(
    await found('привет', { headers: { 'content-type': 'text/html; charset=windows-1251' }, pieces: [cyrillic] }),
  )
})

const CODINGS: [string, (text: string) => Buffer][] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
  ['identity', Buffer.from],
  ['GZIP, br', (text) => zlib.brotliCompressSync(zlib.gzipSync(text))],
]

for (const [coding, encode] of CODINGS) {
  test(`a body encoded with ${coding} is decoded`, async () => {
    const bytes = encode('a needle in a haystack')
    const page = { headers: { 'content-encoding': coding }, pieces: [bytes.subarray(0, 9), bytes.subarray(9)] }
    assert.ok(await found('needle', page))
    assert.ok(!(await found('nail', page)))
  })
}

test('an encoding that is invalid, cut short or unknown', async () => {
  const whole = zlib.gzipSync('x'.repeat(5000))
  for (const pieces of [['plain text'], [whole.subarray(0, 20)]]) {
    const sample = await probe('needle', { headers: { 'content-encoding': 'gzip' }, pieces })
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', error: 'The response body is not valid gzip' })
  }
  const broken = await probe('needle', { headers: { 'content-encoding': 'br' }, pieces: ['plain text'] })
  assert.partialDeepStrictEqual(broken, { outcome: 'failure', error: 'The response body is not valid br' })
  assert.ok(await found('needle', { headers: { 'content-encoding': 'rot13' }, pieces: ['a needle'] }))
})

test('an empty body is valid in every encoding', async () => {
  for (const coding of ['gzip', 'deflate', 'br', 'zstd']) {
    assert.ok(!(await found('needle', { headers: { 'content-encoding': coding }, pieces: [] })), coding)
  }
})

test('an encoded body that breaks off is reported as such', async () => {
  const coded = zlib.gzipSync(Buffer.alloc(100, 'x'))
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${coded.length}\r\n\r\n`
  await using server = await listen(
    raw((socket) => {
      socket.write(head)
      socket.end(coded.subarray(0, 10))
    }),
  )
  const target = targetOf({ url: `http://127.0.0.1:${server.port}/`, keyword: 'needle' })
  const error = 'Connection closed before the response was complete'
  assert.partialDeepStrictEqual(await shownSample(probeKeyword(target, { guard }, never)), {
    outcome: 'failure',
    error,
  })
})

const MIB = 1024 * 1024

test('the first MiB is searched to its last byte, and no further', async () => {
  assert.ok(await found('needle', { pieces: ['x'.repeat(MIB - 6), 'needle', 'x'.repeat(MIB)] }))
  assert.ok(!(await found('needle', { pieces: ['x'.repeat(MIB - 5), 'needle', 'x'.repeat(MIB)] })))
})

test('an endless compressed body is searched up to the same limit', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(4 * MIB, 'x'))
  await using server = await listen(
    raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write(bomb));
      }
      socket.on('drain', pour)
      pour()
    }),
  )
  const target = targetOf({ url: `http://127.0.0.1:${server.port}/`, keyword: 'needle' })
  const sample = await shownSample(probeKeyword(target, { guard }, never))
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'KEYWORD' })
  await server.quiet()
})

test('a match ends the reading', async () => {
  using _time = startVirtualTime()
  await using server = await listen(raw((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nneedle, and then nothing')))
  const target = targetOf({ url: `http://127.0.0.1:${server.port}/`, keyword: 'needle', timeoutMs: 400 })
  assert.partialDeepStrictEqual(await shownSample(probeKeyword(target, { guard }, never)), { outcome: 'success' })
  const missing = await shownSample(probeKeyword({ ...target, keyword: 'nail' }, { guard }, never))
  const error = 'Response not complete after 400 ms'
  assert.partialDeepStrictEqual(missing, { outcome: 'failure', code: 'TIMEOUT', kind: 'connection', error })
  await server.quiet()
})

test('long keywords and excerpts are shortened', async () => {
  const sample = await probe('k'.repeat(500), { pieces: ['😀'.repeat(3000)] })
  assert.ok(sample.outcome === 'failure')
  assert.equal(sample.error, `Keyword "${'k'.repeat(100)}…" not found in the response`)
  assert.equal(sample.excerpt, '😀'.repeat(1024))
})
