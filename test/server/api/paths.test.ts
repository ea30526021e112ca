import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { expectConforms } from '../../support/conformance.ts'
import { createMonitor, current, expectError, smallest } from '../../support/monitors.ts'
import { exchange, request } from '../../support/raw.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'SEARCH']

describe('paths and methods', () => {
  const api = useApi('sqlite', { env: { PHAROS_RATE_LIMIT: '1000' } })
  wrongMethods(api)
  unknownPaths(api)
  heads(api)
})

function wrongMethods(api: Api): void {
  test('the message lists the methods of the path', async () => {
    const { client } = await api.tenant()
    const message = async (path: string) => (await client.send('PUT', path, {})).body.error.message
    assert.equal(await message('/monitors'), 'PUT is not allowed here; GET, HEAD and POST are')
    assert.equal(await message('/monitors/mon_x/pause'), 'PUT is not allowed here; POST is')
    // Also the path of an incident.
    assert.equal(await message('/incidents/acknowledgements'), 'PUT is not allowed here; GET and HEAD are')
  })
}

function unknownPaths(api: Api): void {
  const unknown = [
    '',
    '/',
    '/monitor',
    '/Monitors',
    '/monitors/',
    '/monitors//',
    '/monitors//pause',
    '//monitors',
    '/incidents//acknowledge',
    '/monitors/x/',
    '/monitors/x/pause/',
    '/monitors/x/stop',
    '/monitors/x/pause/y',
    '/api/v1/monitors',
    '/openapi.json',
  ]
  for (const path of unknown) {
    test(`${path === '' ? '/api/v1 itself' : path} is 404 for every method`, async () => {
      const { client } = await api.tenant()
      for (const method of methods) {
        const answer = await client.send(method, path, method === 'HEAD' || method === 'GET' ? undefined : {})
        assert.equal(answer.status, 404, method)
        if (method !== 'HEAD') expectError(answer, 'not_found')
      }
    })
  }

  test('the message about an empty path segment mentions the trailing slash', async () => {
    const { client } = await api.tenant()
    for (const path of ['/monitors/', '/monitors//pause', '/monitors/?limit=5', '/']) {
      assert.match((await client.get(path)).body.error.message, /must not end with a slash/, path)
    }
    for (const path of ['/nothing', '/nothing?next=a//b/', '/nothing?next=/']) {
      assert.equal((await client.get(path)).body.error.message, 'No such endpoint', path)
    }
    assert.equal((await client.get('/monitors?next=a//b/')).status, 200)
  })

  test('a path is decoded by segments, and a fixed segment precedes an id only for its own methods', async () => {
    const client = api.server.client((await api.tenant()).key)
    const { id } = await createMonitor(client, smallest('CRON'))
    const encoded = `%6D${id.slice(1)}`
    assert.equal((await client.get(`/%6Donitors/${encoded}`)).body.id, id)
    assert.equal((await client.get(`/monitors/${encoded}?a=/b#c`)).body.id, id)
    for (const other of ['a%2Fb', `${id}%2Fpause`, '%25ff', '__proto__', ':monitorId', 'bulk']) {
      const { body } = await client.get(`/monitors/${other}`)
      assert.equal(body.error.message, (await client.get('/monitors/mon_x')).body.error.message, other)
    }
    expectError(await client.post('/monitors/bulk', {}), 'validation_error')
    assert.equal((await client.get(`/monitors%2F${id}`)).body.error.message, 'No such endpoint')
  })

  test('other versions, double slashes and the root of the API have the headers of the API', async () => {
    const { client, key } = await api.tenant()
    const before = Number((await client.get('/monitors')).headers.get('ratelimit-remaining'))
    const paths = ['/api', '/api/', '/api/v2', '/api/v2/monitors', '/api/v1x', '//api/v1/monitors', '/api//v1/monitors']
    for (const path of paths) {
      for (const method of methods) {
        const answer = await exchange(api.server.url, request(method, path, [`X-API-Key: ${key}`]))
        assert.equal(answer.status, 404, `${method} ${path}`)
        expectConforms(answer, { method, path: '/nothing' }, api.contract)
      }
      const refused = await exchange(api.server.url, request('GET', path))
      expectConforms(refused, { method: 'GET', path: '/nothing' }, api.contract)
      expectError(refused, 'unauthorized')
    }
    const after = Number((await client.get('/monitors')).headers.get('ratelimit-remaining'))
    assert.equal(before - after, paths.length * methods.length + 1)
  })

  test('ids are percent-decoded', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client)
    const encoded = [...(monitor.id as string)].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')
    assert.deepEqual(await current(client, encoded), monitor)
  })
}

/** Headers that differ between requests. */
const passing = new Set([
  'connection',
  'keep-alive',
  'x-request-id',
  'date',
  'ratelimit',
  'ratelimit-remaining',
  'ratelimit-reset',
])

function lasting(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !passing.has(name)))
}

function heads(api: Api): void {
  test('HEAD answers what GET would, without the body', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { name: 'Café ☂' }))
    for (const path of ['/monitors', '/monitors?limit=1', `/monitors/${id}`]) {
      const [get, head] = [await client.get(path), await client.send('HEAD', path)]
      assert.deepEqual([head.status, head.body], [200, undefined])
      assert.deepEqual(lasting(head.headers), lasting(get.headers))
    }
  })

  test('HEAD fails as GET does', async () => {
    const { client } = await api.tenant()
    for (const [path, status] of [
      ['/monitors?limit=0', 400],
      ['/monitors/mon_unknown', 404],
      ['/nothing', 404],
    ] as const) {
      const [get, head] = [await client.get(path), await client.send('HEAD', path)]
      assert.deepEqual([get.status, head.status], [status, status])
      assert.deepEqual(Object.keys(lasting(head.headers)), Object.keys(lasting(get.headers)))
    }
    assert.equal((await api.clientWith({}).send('HEAD', '/monitors')).status, 401)
  })
}
