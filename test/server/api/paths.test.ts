import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { expectConforms } from '../../support/conformance.ts'
import { monitorOperations } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, current, expectError, smallest, unchangedBy } from '../../support/monitors.ts'
import { call } from '../../support/outcomes.ts'
import { exchange, request } from '../../support/raw.ts'

/** Every path there is, with the methods that its Allow header lists. HEAD works wherever GET does. */
const allowed: readonly (readonly [(id: string) => string, readonly string[]])[] = [
  [() => '/monitors', ['GET', 'HEAD', 'POST']],
  [(id) => `/monitors/${id}`, ['DELETE', 'GET', 'HEAD', 'PATCH']],
  [(id) => `/monitors/${id}/pause`, ['POST']],
  [(id) => `/monitors/${id}/resume`, ['POST']],
  [(id) => `/monitors/${id}/check`, ['POST']],
]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'SEARCH']

forEachEngine('paths and methods', (engine) => {
  const api = useApi(engine, { env: { PHAROS_RATE_LIMIT: '1000' } })
  wrongMethods(api)
  unknownPaths(api)
  heads(api)
})

function wrongMethods(api: Api): void {
  for (const [path, permitted] of allowed) {
    test(`${path('{monitorId}')} answers 405 to every method but ${permitted}, and Allow lists these`, async () => {
      const { client } = await api.tenant()
      const { id } = await createMonitor(client)
      await unchangedBy(client, async () => {
        for (const method of methods.filter((one) => !permitted.includes(one))) {
          const answer = await client.send(method, path(id), method === 'HEAD' || method === 'GET' ? undefined : {})
          assert.equal(answer.status, 405, method)
          if (method !== 'HEAD') expectError(answer, 'method_not_allowed')
          assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), permitted)
        }
      })
    })
  }

  test('the message lists the methods of the path', async () => {
    const { client } = await api.tenant()
    const message = async (path: string) => (await client.send('PUT', path, {})).body.error.message
    assert.equal(await message('/monitors'), 'PUT is not allowed here; GET, HEAD and POST are')
    assert.equal(await message('/monitors/mon_x/pause'), 'PUT is not allowed here; POST is')
  })

  test('a wrong method is 405 for an unknown id too', async () => {
    const { client } = await api.tenant()
    expectError(await client.send('PUT', '/monitors/mon_unknown', {}), 'method_not_allowed')
    expectError(await client.get('/monitors/mon_unknown/pause'), 'method_not_allowed')
  })

  test('a wrong method is 405 whatever the body and its type are', async () => {
    const { client } = await api.tenant()
    for (const type of ['application/json', 'text/plain', 'application/xml', 'not a type']) {
      const answer = await client.send('PUT', '/monitors', '{', { 'content-type': type })
      assert.equal(answer.status, 405, type)
    }
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

  test('an unknown path is 404 whatever the body and its type are', async () => {
    const { client } = await api.tenant()
    for (const type of ['application/json', 'text/plain', 'not a type']) {
      assert.equal((await client.post('/nothing', '{', { 'content-type': type })).status, 404, type)
    }
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

  test('HEAD counts against the rate limit like any request', async () => {
    const { client } = await api.tenant()
    const left = async (method: string) =>
      Number((await client.send(method, '/monitors')).headers.get('ratelimit-remaining'))
    const before = await left('HEAD')
    assert.equal(await left('HEAD'), before - 1)
  })

  test('HEAD is open to read-only keys wherever GET is', async () => {
    const { client, reader } = await api.tenant()
    const { id } = await createMonitor(client)
    const readOnly = await reader()
    for (const operation of monitorOperations.filter(({ method }) => method === 'GET')) {
      assert.equal((await call(readOnly, { ...operation, method: 'HEAD' }, id)).status, 200)
    }
  })
}
