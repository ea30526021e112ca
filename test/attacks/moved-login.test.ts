import assert from 'node:assert/strict'
import net from 'node:net'
import { describe, test } from 'node:test'
import { isElsewhere } from '../../src/monitoring/monitor-options/login.ts'
import { type Listener, listen, type RecordingSite, recordingSite } from '../outbound/fixtures.ts'
import { useApi } from '../support/api.ts'
import { makeSelfSigned } from '../support/certificates.ts'
import { createMonitor, smallest } from '../support/monitors.ts'
import { startHttpProxy } from '../support/proxies.ts'
import type { Client } from '../support/server.ts'

const TOKEN = 'token-0123456789'
const site = () => recordingSite((_path, response) => response.end())

function tokensAt({ arrivals }: RecordingSite): string[] {
  return arrivals.flatMap(({ headers }) => headers.authorization ?? [])
}

describe('the server at an address', () => {
  test('is another one with another host or port, or without TLS', () => {
    const url = 'https://shop.example/health'
    for (const same of ['https://SHOP.example:443/', 'https://user@shop.example/x?y'])
      assert.equal(isElsewhere(url, same), false, same)
    for (const other of [
      'https://evil.example/health',
      'https://shop.example:8443/',
      'http://shop.example/',
      'http://shop.example:443/',
    ])
      assert.equal(isElsewhere(url, other), true, other)
    assert.equal(isElsewhere('http://shop.example/', url), false, 'https is safer')
    assert.equal(isElsewhere('http://shop.example:8080/', url), true)
  })
})

async function monitorWithLogin(client: Client, { at }: RecordingSite, options: object = {}): Promise<string> {
  const { body } = await client.post('/monitors', { name: 'Shop', type: 'HTTP', url: at('/health') })
  const request = { auth: { type: 'BEARER', token: TOKEN }, maxRedirects: 3, ...options }
  assert.equal((await client.send('PUT', `/monitors/${body.id}/request`, request)).status, 200)
  return body.id
}

describe('the write-only login of a monitor', () => {
  const api = useApi('sqlite')

  test('is removed when the address changes, and the audit log says so', async () => {
    await using own = await site()
    await using foreign = await site()
    const { client } = await api.tenant()
    const id = await monitorWithLogin(client, own)
    const path = `/monitors/${id}`
    assert.equal((await client.send('PATCH', path, { url: own.at('/other') })).status, 200)
    await client.post(`${path}/check`, {})
    assert.deepEqual(tokensAt(own), [`Bearer ${TOKEN}`], 'another path of the same server keeps it')

    assert.equal((await client.send('PATCH', path, { url: foreign.at('/') })).status, 200)
    await client.post(`${path}/check`, {})
    assert.deepEqual([foreign.arrivals.length, tokensAt(foreign)], [1, []])
    assert.deepEqual((await client.get(`${path}/request`)).body, { maxRedirects: 3 })
    const { data } = (await client.get('/audit-log?limit=3')).body
    assert.deepEqual(data.map(({ action, fields }: Record<string, unknown>) => `${action} ${fields}`).sort(), [
      'checkMonitor ',
      'setMonitorRequest auth',
      'updateMonitor url',
    ])
    await client.send('PATCH', path, { url: own.at('/') })
    await client.post(`${path}/check`, {})
    assert.equal(tokensAt(own).length, 1, 'it does not come back with the address')
  })

  test('is not sent to another address by a test of settings, nor through another proxy or DNS server', async () => {
    await using own = await site()
    await using foreign = await site()
    await using proxy = await startHttpProxy()
    const { client } = await api.tenant()
    const id = await monitorWithLogin(client, own)
    const settings = { name: 'x', type: 'HTTP', url: foreign.at('/'), monitorId: id }
    const auth = { type: 'BEARER', token: 'set' }
    assert.equal((await client.post('/monitors/try', settings)).body.outcome, 'SUCCESS')
    assert.equal((await client.post('/monitors/try', { ...settings, options: { request: { auth } } })).status, 400)
    assert.deepEqual([foreign.arrivals.length, tokensAt(foreign)], [1, []])
    const proxyUrl = `http://me:pass@127.0.0.1:${proxy.port}`
    for (const way of [{ proxyUrl }, { resolver: '127.0.0.1:53' }, { serverName: 'evil.example' }]) {
      const { status, body } = await client.send('PUT', `/monitors/${id}/request`, { auth, ...way })
      const [fault] = body.error?.details ?? []
      assert.deepEqual([status, fault?.path], [400, 'auth.token'], JSON.stringify(way))
      assert.equal(fault.message, 'must be entered again when proxyUrl, resolver or serverName changes')
      const options = { request: { auth, ...way } }
      assert.equal((await client.post('/monitors/try', { ...settings, url: own.at('/'), options })).status, 400)
    }
    const given = { auth: { type: 'BEARER', token: TOKEN }, proxyUrl }
    const { body } = await client.send('PUT', `/monitors/${id}/request`, given)
    assert.equal((await client.send('PUT', `/monitors/${id}/request`, { ...body, maxRedirects: 1 })).status, 200)
    assert.deepEqual([own.arrivals.length, proxy.asked.length], [0, 0])
  })
})

describe('the write-only login of a monitor, with another site of its server', () => {
  const api = useApi('sqlite')

  test('is removed when the Host header changes, and the audit log says so', async () => {
    await using own = await site()
    const { client } = await api.tenant()
    const id = await monitorWithLogin(client, own)
    const path = `/monitors/${id}`
    const ask = async (requestHeaders: object | null) => {
      assert.equal((await client.send('PATCH', path, { requestHeaders })).status, 200)
      await client.post(`${path}/check`, {})
      return own.arrivals.at(-1)?.headers
    }
    for (const same of [{ Host: `127.0.0.1:${own.port}` }, { hOST: `127.0.0.1:${own.port}`, 'X-Test': '1' }, null])
      assert.equal((await ask(same))?.authorization, `Bearer ${TOKEN}`, JSON.stringify(same))
    const headers = await ask({ host: 'evil.example' })
    assert.deepEqual([headers?.host, headers?.authorization], ['evil.example', undefined])
    assert.deepEqual((await client.get(`${path}/request`)).body, { maxRedirects: 3 })
    const { data } = (await client.get('/audit-log?limit=3')).body
    assert.deepEqual(data.map(({ action, fields }: Record<string, unknown>) => `${action} ${fields}`).sort(), [
      'checkMonitor ',
      'setMonitorRequest auth',
      'updateMonitor requestHeaders',
    ])
    assert.equal((await ask(null))?.authorization, undefined, 'it does not come back with the host')
    const request = { auth: { type: 'BEARER', token: TOKEN } }
    for (const [before, after] of [
      ['a.example', 'b.example'],
      ['a.example', undefined],
    ]) {
      await client.send('PATCH', path, { requestHeaders: before ? { Host: before } : null })
      await client.send('PUT', `${path}/request`, request)
      assert.equal((await ask(after ? { Host: after } : null))?.authorization, undefined, `${before} to ${after}`)
    }
  })

  test('is not sent there by a test of settings', async () => {
    await using own = await site()
    const { client } = await api.tenant()
    const requestHeaders = { Host: 'shop.example' }
    const { body } = await client.post('/monitors', { name: 'Shop', type: 'HTTP', url: own.at('/'), requestHeaders })
    const auth = { type: 'BEARER', token: TOKEN }
    await client.send('PUT', `/monitors/${body.id}/request`, { auth })
    const tryWith = (host: string | undefined, options?: object) =>
      client.post('/monitors/try', {
        name: 'x',
        type: 'HTTP',
        url: own.at('/'),
        requestHeaders: host === undefined ? null : { Host: host },
        monitorId: body.id,
        ...(options && { options }),
      })
    for (const host of ['evil.example', undefined]) {
      assert.equal((await tryWith(host)).body.outcome, 'SUCCESS')
      assert.equal((await tryWith(host, { request: { auth: { type: 'BEARER', token: 'set' } } })).status, 400)
    }
    assert.deepEqual([own.arrivals.length, tokensAt(own)], [2, []])
    assert.equal((await tryWith('Shop.example')).body.outcome, 'SUCCESS')
    assert.deepEqual(tokensAt(own), [`Bearer ${TOKEN}`])
  })

  test('includes the key of a client certificate, which is not kept for another server name', async () => {
    await using own = await site()
    const { client } = await api.tenant()
    const id = await monitorWithLogin(client, own, { clientCertificate: makeSelfSigned({ hosts: ['client.test'] }) })
    const { body } = await client.get(`/monitors/${id}/request`)
    const { auth: _, ...others } = body
    assert.equal((await client.send('PUT', `/monitors/${id}/request`, { ...others, maxRedirects: 1 })).status, 200)
    const moved = await client.send('PUT', `/monitors/${id}/request`, { ...others, serverName: 'evil.example' })
    assert.deepEqual([moved.status, moved.body.error.details[0].path], [400, 'clientCertificate.key'])
    await client.send('PATCH', `/monitors/${id}`, { requestHeaders: { Host: 'evil.example' } })
    assert.deepEqual((await client.get(`/monitors/${id}/request`)).body, { maxRedirects: 1 })
  })
})

interface Cache extends Listener {
  readonly received: readonly string[]
}

/** Accepts any password. */
async function startCache(): Promise<Cache> {
  const received: string[] = []
  const listener = await listen(
    net.createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (line) => {
          received.push(`${line}`)
          socket.write('+OK\r\n')
        })
    }),
  )
  return Object.assign(listener, { received })
}

describe('what the dialogue of a monitor sends', () => {
  const api = useApi('sqlite')
  const auth = `AUTH probe ${TOKEN}\r\n`
  const shown = { transport: 'TCP', steps: [{ send: 'set', expect: '+OK' }] }
  const none = { transport: null }
  const settingsAt = ({ port }: Cache) => smallest('PORT', { host: '127.0.0.1', port, timeoutSeconds: 1 })

  async function monitorAt(
    client: Client,
    cache: Cache,
    dialogue: object = { steps: [{ send: auth, expect: '+OK' }] },
  ) {
    const { id } = await createMonitor(client, settingsAt(cache))
    assert.equal((await client.send('PUT', `/monitors/${id}/dialogue`, dialogue)).status, 200)
    return `/monitors/${id}`
  }

  test('is removed when the host or port changes, and the audit log says so', async () => {
    await using own = await startCache()
    await using foreign = await startCache()
    const { client } = await api.tenant()
    const path = await monitorAt(client, own)
    assert.equal((await client.send('PATCH', path, { name: 'Cache', port: own.port })).status, 200)
    await client.post(`${path}/check`, {})
    assert.deepEqual(own.received, [auth], 'another name keeps it')

    assert.equal((await client.send('PATCH', path, { port: foreign.port })).status, 200)
    await client.post(`${path}/check`, {})
    assert.deepEqual(foreign.received, [])
    assert.deepEqual((await client.get(`${path}/dialogue`)).body, none)
    const { data } = (await client.get('/audit-log?limit=3')).body
    assert.deepEqual(data.map(({ action, fields }: Record<string, unknown>) => `${action} ${fields}`).sort(), [
      'checkMonitor ',
      'removeMonitorDialogue ',
      'updateMonitor port',
    ])
    await client.send('PATCH', path, { port: own.port })
    assert.deepEqual((await client.get(`${path}/dialogue`)).body, none, 'it does not come back with the port')

    const moved = await monitorAt(client, own)
    await client.send('PATCH', moved, { host: 'localhost' })
    assert.deepEqual((await client.get(`${moved}/dialogue`)).body, none)
    for (const harmless of [{ preset: 'REDIS' }, { steps: [{ expect: 'SSH-2.0' }] }]) {
      const kept = await monitorAt(client, own, harmless)
      await client.send('PATCH', kept, { host: 'localhost' })
      assert.deepEqual((await client.get(`${kept}/dialogue`)).body, { transport: 'TCP', ...harmless })
    }
  })

  test('is removed when another server name is asked for', async () => {
    await using own = await startCache()
    const { client } = await api.tenant()
    const path = await monitorAt(client, own, { transport: 'TLS', steps: [{ send: auth, expect: '+OK' }] })
    assert.equal((await client.send('PUT', `${path}/request`, { serverName: 'evil.example' })).status, 200)
    assert.deepEqual((await client.get(`${path}/dialogue`)).body, none)
  })

  test('is removed when another DNS server decides about the address', async () => {
    await using own = await startCache()
    const { client } = await api.tenant()
    const path = await monitorAt(client, own)
    assert.equal((await client.send('PUT', `${path}/request`, { addressFamily: 'IPV4' })).status, 200)
    assert.deepEqual((await client.get(`${path}/dialogue`)).body, shown)
    assert.equal((await client.send('PUT', `${path}/request`, { resolver: '127.0.0.1:53' })).status, 200)
    assert.deepEqual((await client.get(`${path}/dialogue`)).body, none)
    const { data } = (await client.get('/audit-log?limit=2')).body
    assert.deepEqual(data.map(({ action }: Record<string, unknown>) => action).sort(), [
      'removeMonitorDialogue',
      'setMonitorRequest',
    ])
    await client.send('PUT', `${path}/dialogue`, { steps: [{ send: auth, expect: '+OK' }] })
    assert.equal((await client.send('DELETE', `${path}/request`, {})).status, 200)
    assert.deepEqual((await client.get(`${path}/dialogue`)).body, none)
  })

  test('is not sent to another address by a test of settings', async () => {
    await using own = await startCache()
    await using foreign = await startCache()
    const { client } = await api.tenant()
    const path = await monitorAt(client, own)
    const tryAt = (cache: Cache, options?: object) =>
      client.post('/monitors/try', {
        ...settingsAt(cache),
        monitorId: path.split('/').at(-1),
        ...(options && { options }),
      })
    assert.equal((await tryAt(foreign)).body.outcome, 'SUCCESS')
    assert.equal((await tryAt(foreign, { dialogue: shown })).status, 400)
    assert.equal((await tryAt(own, { dialogue: shown, request: { resolver: '127.0.0.1:53' } })).status, 400)
    assert.deepEqual([foreign.received, own.received], [[], []])
    assert.equal((await tryAt(own, { dialogue: shown })).body.outcome, 'SUCCESS')
    assert.deepEqual(own.received, [auth])
  })
})
