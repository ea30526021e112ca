import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { startTestServer, type TestServer } from '../../support/server.ts'

describe('the API reference', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api' } })
  })
  after(() => server.stop())

  const get = (path: string, init: RequestInit = {}) => fetch(server.url + path, { redirect: 'manual', ...init })

  test('needs no key, allows only this server, and is revalidated', async () => {
    const response = await get('/docs')
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /connect-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    assert.equal(response.headers.get('cache-control'), 'public, no-cache')
    const etag = response.headers.get('etag') ?? ''
    assert.equal((await get('/docs', { headers: { 'if-none-match': etag } })).status, 304)
    assert.match(await response.text(), /Pharos API reference/)
  })

  test('HEAD has the headers of GET and no body', async () => {
    const response = await get('/docs/monitors', { method: 'HEAD' })
    assert.equal(response.status, 200)
    assert.ok(Number(response.headers.get('content-length')) > 1000)
    assert.equal(await response.text(), '')
  })

  test('its files are cached forever', async () => {
    const [, path = ''] = /<script src="([^"]+)"/.exec(await (await get('/docs')).text()) ?? []
    const response = await get(path)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('cache-control') ?? '', /immutable/)
  })

  test('a trailing slash redirects, unknown paths are 404, other methods 405', async () => {
    for (const path of ['/docs/', '/docs/monitors/']) {
      const response = await get(path)
      assert.deepEqual([response.status, response.headers.get('location')], [301, path.slice(0, -1)])
    }
    const unknown = await get('/docs/nothing', { headers: { accept: 'text/html' } })
    assert.equal(unknown.status, 404)
    assert.match(unknown.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal((await get('/docs/assets/reference-0.js')).status, 404)
    assert.equal((await get('/docs/..%2fpackage.json')).status, 404)
    const posted = await get('/docs', { method: 'POST' })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
  })

  test('is not served on the custom domain of a status page', async () => {
    const created = await server.client().post('/status-pages', { name: 'Shop', customDomain: 'status.shop.example' })
    assert.equal(created.status, 201)
    const headers = { host: 'status.shop.example', accept: 'text/html' }
    const [response] = (await once(request(`${server.url}/docs`, { headers }).end(), 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 404)
    response.resume()
  })

  test('code samples use the public address of the installation', async () => {
    const page = await (await get('/docs/monitors')).text()
    assert.ok(page.includes(`curl -X DELETE ${server.url.replace('127.0.0.1', 'localhost')}/api/v1/monitors/mon_`))
  })
})
