import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { publicContract } from '../../support/conformance.ts'

const rateHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit', 'ratelimit-policy']

describe('GET /openapi.json', () => {
  const api = useApi('sqlite', { env: { PHAROS_RATE_LIMIT: '40' } })
  const ask = (method: string, headers: Record<string, string> = {}) =>
    fetch(`${api.server.url}/openapi.json`, { method, headers })

  test('is the committed document with the address of this server', async () => {
    const served = await (await ask('GET')).text()
    const { port } = new URL(api.server.url)
    assert.ok(served.includes(`http://localhost:${port}`))
    const committed = served.replaceAll(`http://localhost:${port}`, 'http://localhost:3000')
    assert.deepEqual(JSON.parse(committed), publicContract.document)
  })

  test('needs no key and has the headers of the API', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(method)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
      for (const name of rateHeaders) assert.ok(response.headers.has(name), name)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  test('is compressed, the same for everybody, and sent once to a client that remembers it', async () => {
    const plain = await ask('GET', { 'accept-encoding': 'identity' })

    for (const encoding of ['gzip', 'br']) {
      const { headers } = await ask('GET', { 'accept-encoding': encoding })
      assert.deepEqual(
        ['content-encoding', 'cache-control', 'vary'].map((name) => headers.get(name)),
        [encoding, 'no-cache', 'accept-encoding'],
      )
      assert.ok(Number(plain.headers.get('content-length')) > 7 * Number(headers.get('content-length')))
      const known = await ask('GET', { 'accept-encoding': encoding, 'if-none-match': headers.get('etag') as string })
      assert.deepEqual([known.status, await known.text()], [304, ''])
      for (const name of rateHeaders) assert.ok(known.headers.has(name), name)
    }
  })

  test('counts a request with a key against that key', async () => {
    const { key } = await api.tenant()
    const left = async () => Number((await ask('GET', { 'x-api-key': key })).headers.get('ratelimit-remaining'))
    assert.deepEqual([await left(), await left()], [39, 38])
  })

  test('answers any other method with 405, Allow and the headers of the API', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await ask(method)
      assert.equal(response.status, 405, method)
      assert.equal(response.headers.get('allow'), 'GET, HEAD')
      assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
      for (const name of rateHeaders) assert.ok(response.headers.has(name), name)
      const { error } = (await response.json()) as { error: Record<string, unknown> }
      assert.equal(error.code, 'method_not_allowed')
      assert.equal(error.message, `${method} is not allowed here; GET and HEAD are`)
    }
  })

  test('is 429 over the quota of the key', async () => {
    const { key } = await api.tenant()
    for (let i = 0; i < 40; i += 1) await ask('HEAD', { 'x-api-key': key })
    const response = await ask('GET', { 'x-api-key': key })
    assert.equal(response.status, 429)
    assert.ok(Number(response.headers.get('retry-after')) > 0)
  })
})
