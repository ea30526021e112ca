import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { MAX_SINGLE_TURN_MS } from '../../attacks/short-turns.ts'
import { useApi } from '../../support/api.ts'
import { measureTurns } from '../../support/cpu-time.ts'
import { useInstallation } from '../../support/person.ts'

type Headers = Readonly<Record<string, string>>

/** Without the decompression of `fetch`. */
function get(url: string, headers: Headers, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: Headers; bytes: Buffer }>()
  request(url, { headers, method }, (response) => {
    buffer(response).then(
      (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers as Headers, bytes }),
      reject,
    )
  })
    .on('error', reject)
    .end()
  return promise
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

describe('lists', () => {
  const api = useApi('sqlite')

  test('are compressed for clients that accept it, and the same for others', async () => {
    const { client, key } = await api.tenant()
    const url = `${api.server.url}/api/v1/monitors`
    for (let i = 0; i < 25; i += 1) await client.post('/monitors', { name: `Büro ${i}`, type: 'CRON' })
    const plain = await get(url, { 'x-api-key': key })
    assert.deepEqual(
      [plain.headers['content-encoding'], plain.headers.vary],
      [undefined, 'Authorization, X-API-Key, Accept-Encoding'],
    )
    for (const encoding of ['gzip', 'br'] as const) {
      const packed = await get(url, { 'x-api-key': key, 'accept-encoding': `deflate, ${encoding};q=0.5` })
      assert.equal(`${decoders[encoding](packed.bytes)}`, `${plain.bytes}`)
      assert.deepEqual(
        ['content-encoding', 'content-type', 'cache-control', 'vary'].map((name) => packed.headers[name]),
        [encoding, 'application/json; charset=utf-8', 'no-store', 'Authorization, X-API-Key, Accept-Encoding'],
      )
      assert.equal(Number(packed.headers['content-length']), packed.bytes.length)
      assert.ok(packed.bytes.length < plain.bytes.length / 4, `${packed.bytes.length} of ${plain.bytes.length} bytes`)
      assert.ok(packed.headers['ratelimit-remaining'])
      const head = await get(url, { 'x-api-key': key, 'accept-encoding': encoding }, 'HEAD')
      assert.deepEqual([head.status, head.bytes.length], [200, 0])
    }
    const refused = await get(url, { 'x-api-key': key, 'accept-encoding': 'gzip;q=0, br;q=0' })
    assert.equal(`${refused.bytes}`, `${plain.bytes}`)
  })

  test('that fit into one packet, and answers that are no lists, are sent as they are', async () => {
    const { client, key } = await api.tenant()
    const { body } = await client.post('/monitors', { name: 'x'.repeat(120), type: 'CRON' })
    const headers = { 'x-api-key': key, 'accept-encoding': 'gzip' }
    for (const path of ['/contacts', `/monitors/${body.id}`]) {
      const answer = await get(`${api.server.url}/api/v1${path}`, headers)
      assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, undefined])
    }
  })

  test('that many clients ask for at the same moment are complete, compressed or not', async () => {
    const { client, key } = await api.tenant()
    for (let i = 0; i < 25; i += 1) await client.post('/monitors', { name: `Job ${i}`, type: 'CRON' })
    const url = `${api.server.url}/api/v1/monitors`
    const headers = { 'x-api-key': key, 'accept-encoding': 'gzip' }
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(url, headers)))
    for (const { headers: received, bytes } of answers) {
      const text = received['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      assert.equal(JSON.parse(`${text}`).data.length, 25)
    }
    assert.ok(answers.some((answer) => answer.headers['content-encoding'] === 'gzip'))
  })

  test('of 8 MB are compressed without a long turn of the event loop', async (t) => {
    const { client, key } = await api.tenant()
    const target = { type: 'HTTP', url: 'http://127.0.0.1', method: 'POST' }
    for (let i = 0; i < 80; i += 1) {
      const requestBody = randomBytes(74_000).toString('base64')
      await client.post('/monitors', { ...target, name: `M ${i}`, requestBody })
    }
    const url = `${api.server.url}/api/v1/monitors?limit=100`
    for (const encoding of ['identity', 'gzip', 'br']) {
      const turns: number[] = []
      for (let i = 0; i < 3; i += 1) {
        const measured = measureTurns()
        const { status, headers } = await get(url, { 'x-api-key': key, 'accept-encoding': encoding })
        turns.push(measured.stop())
        assert.deepEqual([status, headers['content-encoding'] ?? 'identity'], [200, encoding])
      }
      t.diagnostic(`${encoding}: ${turns.map((turn) => turn.toFixed(1)).join(', ')} ms`)
      assert.ok(Math.min(...turns) <= MAX_SINGLE_TURN_MS, `${encoding}: ${turns.join(', ')} ms`)
    }
  })
})

describe('lists of the dashboard', () => {
  const installation = useInstallation('sqlite')

  test('are compressed like those of the API', async () => {
    const { owner, server } = installation
    for (let i = 0; i < 10; i += 1) await owner.post('/v1/monitors', { name: `Job ${i}`, type: 'CRON' })
    const headers = { cookie: owner.cookie ?? '', 'x-pharos-organization': owner.organization ?? '' }
    const url = `${server.url}/app/api/v1/monitors`
    const plain = await get(url, headers)
    assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'Accept-Encoding'])
    const packed = await get(url, { ...headers, 'accept-encoding': 'gzip, deflate, br' })
    assert.equal(packed.headers['content-encoding'], 'br')
    assert.equal(`${brotliDecompressSync(packed.bytes)}`, `${plain.bytes}`)
  })
})
