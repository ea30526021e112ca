import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Api, useApi } from '../../support/api.ts'
import { expectConforms } from '../../support/conformance.ts'
import { expectError, total } from '../../support/monitors.ts'
import { exchange, request } from '../../support/raw.ts'
import type { Answer } from '../../support/server.ts'

const MIB = 1024 * 1024
const minimal = JSON.stringify({ name: 'A', type: 'CRON' })

/** A valid creation of exactly so many bytes: JSON may be followed by any amount of white space. */
const ofSize = (bytes: number): string => minimal + ' '.repeat(bytes - minimal.length)

describe('request bodies', () => {
  const api = useApi('sqlite')
  contentTypes(api)
  encodings(api)
  sizes(api)
  onTheWire(api)
})

function contentTypes(api: Api): void {
  const good = [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"; version=1',
    'Application/JSON',
  ]
  test('a body of type application/json is read, in every spelling of the type', async () => {
    const { client } = await api.tenant()
    for (const type of good) {
      assert.equal((await client.post('/monitors', minimal, { 'content-type': type })).status, 201, type)
    }
  })

  const bad = [
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml; charset=utf-8',
    'json',
    'application',
    '*/*',
    'text/plain, application/json',
    'not a type',
  ]
  test('a body of another type is 400 and creates nothing', async () => {
    const { client } = await api.tenant()
    for (const type of bad) {
      const answer = await client.post('/monitors', minimal, { 'content-type': type })
      assert.equal(answer.status, 400, type)
      expectError(answer, 'validation_error', ['content-type'])
    }
    assert.equal(await total(client), 0)
  })

  test('a body without a content type is 400', async () => {
    const { key, client } = await api.tenant()
    const answer = await send(api, request('POST', '/api/v1/monitors', [`X-API-Key: ${key}`], minimal))
    expectError(answer, 'validation_error', ['content-type'])
    assert.equal(await total(client), 0)
  })

  test('a body that is not UTF-8 is 400', async () => {
    const { key } = await api.tenant()
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('","type":"CRON"}')])
    const head = [`X-API-Key: ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const sent = Buffer.concat([Buffer.from(request('POST', '/api/v1/monitors', head)), body])
    expectError(await send(api, sent), 'validation_error', ['body'])
  })
}

function send(api: Api, sent: string | Buffer): Promise<Answer> {
  return exchange(api.server.url, sent).then((answer) => {
    expectConforms(answer, { method: 'POST', path: '/monitors' }, api.contract)
    return answer
  })
}

function encodings(api: Api): void {
  test('a compressed body is reported as unsupported compression', async () => {
    const { client } = await api.tenant()
    for (const [encoding, content] of [
      ['gzip', gzipSync(minimal)],
      ['br', brotliCompressSync(minimal)],
      ['deflate', minimal],
      ['gzip, identity', minimal],
    ] as const) {
      const response = await fetch(`${api.server.url}/api/v1/monitors`, {
        method: 'POST',
        headers: {
          'x-api-key': (await api.tenant()).key,
          'content-type': 'application/json',
          'content-encoding': encoding,
        },
        body: content,
      })
      assert.equal(response.status, 400, encoding)
      const { error } = (await response.json()) as { error: { details: unknown } }
      assert.deepEqual(error.details, [
        { path: 'content-encoding', message: 'is not supported: send the body without compression' },
      ])
    }
    assert.equal((await client.post('/monitors', minimal, { 'content-encoding': 'identity' })).status, 201)
  })

  test('a charset other than UTF-8 is 400', async () => {
    const { client } = await api.tenant()
    for (const charset of ['iso-8859-1', '"utf-16"', 'US-ASCII']) {
      const answer = await client.post('/monitors', minimal, { 'content-type': `application/json; charset=${charset}` })
      expectError(answer, 'validation_error', ['content-type'])
    }
    assert.equal(await total(client), 0)
  })

  test('a repeated query parameter is reported as such, together with other faults', async () => {
    const { client } = await api.tenant()
    const answer = await client.get('/monitors?limit=5&limit=6&offset=-1')
    expectError(answer, 'validation_error', ['limit', 'offset'])
    const byPath = new Map(answer.body.error.details.map((fault: Body) => [fault.path, fault.message]))
    assert.equal(byPath.get('limit'), 'must be given once')
    assert.equal((await client.get('/monitors?unknown=1&unknown=2')).status, 200)
  })
}

type Body = Record<string, string>

function sizes(api: Api): void {
  test('other operations read 64 KiB, and those of the dashboard alone 16 KiB', async () => {
    const { client } = await api.tenant()
    const contact = { name: 'A', channel: 'WEBHOOK', settings: { url: 'https://example.com/' } }
    const padded = (body: object, bytes: number): string => JSON.stringify(body).padEnd(bytes)
    assert.equal((await client.post('/contacts', padded(contact, 64 * 1024))).status, 201)
    const refused = await client.post('/contacts', padded(contact, 64 * 1024 + 1))
    assert.equal(refused.body.error.message, 'body must be at most 64 KiB')
    const signIn = (bytes: number) =>
      fetch(`${api.server.url}/app/api/sign-in`, {
        method: 'POST',
        headers: { origin: api.server.url, 'content-type': 'application/json' },
        body: padded({ email: 'ada@example.com', password: 'wrong password' }, bytes),
      })
    assert.equal((await signIn(16 * 1024)).status, 401)
    const answer = await signIn(16 * 1024 + 1)
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /must be at most 16 KiB/)
  })

  test('a client that sends 4 MiB or 8 MiB can read the 400 and reuse the connection', async () => {
    const { client } = await api.tenant()
    for (const size of [4, 4, 4, 8]) {
      expectError(await client.post('/monitors', ofSize(size * MIB)), 'validation_error', ['body'])
    }
    assert.equal((await client.post('/monitors', minimal)).status, 201)
    assert.equal(await total(client), 1)
  })
}

function onTheWire(api: Api): void {
  test('a client that waits for 100 Continue receives it', async () => {
    const { key } = await api.tenant()
    const head = [`X-API-Key: ${key}`, 'Content-Type: application/json', 'Expect: 100-continue']
    const text = await inTwoParts(api.server.url, request('POST', '/api/v1/monitors', [...head, length]), minimal)
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
  })

  test('the connection can be reused after a rejected body', async () => {
    const { key, client } = await api.tenant()
    const head = [`X-API-Key: ${key}`, 'Content-Type: text/plain']
    const first = request('POST', '/api/v1/monitors', head, minimal).replace('Connection: close\r\n', '')
    const second = request('GET', '/api/v1/monitors', [`X-API-Key: ${key}`])
    const text = await inTwoParts(api.server.url, first, second)
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status),
      ['400', '200'],
    )
    assert.equal(await total(client), 0)
  })

  test('the body of a GET is ignored', async () => {
    const { key } = await api.tenant()
    const sent = request('GET', '/api/v1/monitors', [`X-API-Key: ${key}`, 'Content-Type: text/plain'], '{')
    const answer = await exchange(api.server.url, sent)
    expectConforms(answer, { method: 'GET', path: '/monitors' }, api.contract)
    assert.equal(answer.status, 200)
  })
}

const length = `Content-Length: ${minimal.length}`

/** Sends the second part once the server has said something about the first, and reads until it closes. */
function inTwoParts(url: string, first: string, second: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(first))
    socket.setTimeout(30_000, () => socket.destroy(new Error(`The server stopped after ${text}`)))
    socket.setEncoding('utf8')
    socket.once('data', () => socket.write(second))
    socket.on('data', (piece: string) => {
      text += piece
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}
