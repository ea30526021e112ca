import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { expectConforms } from '../../support/conformance.ts'
import { call, monitorOperations } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, total } from '../../support/monitors.ts'
import { exchange, request } from '../../support/raw.ts'
import { request as keepAliveRequest, runConnection } from '../../support/raw-http.ts'
import { disable, expire, revoke, revokeFromOutside } from '../../support/tables.ts'

const unknownKey = `phr_${'x'.repeat(43)}`

forEachEngine('authentication', (engine) => {
  const api = useApi(engine)
  waysToSendAKey(api)
  endedKeys(api)
  severalHeaders(api)
})

function waysToSendAKey(api: Api): void {
  const good: readonly ((key: string) => Record<string, string>)[] = [
    (key) => ({ 'X-API-Key': key }),
    (key) => ({ 'x-api-key': key }),
    (key) => ({ Authorization: `Bearer ${key}` }),
    (key) => ({ authorization: `bearer ${key}` }),
  ]
  for (const headers of good) {
    test(`a key is accepted as ${JSON.stringify(headers('<key>'))}`, async () => {
      const { key, client } = await api.tenant()
      await createMonitor(client)
      assert.equal(await total(api.clientWith(headers(key))), 1)
    })
  }

  const bad: readonly (readonly [string, (key: string) => Record<string, string>])[] = [
    ['no header at all', () => ({})],
    ['an empty X-API-Key', () => ({ 'x-api-key': '' })],
    ['a key that was never made', () => ({ 'x-api-key': unknownKey })],
    ['a key that was never made, as Bearer', () => ({ authorization: `Bearer ${unknownKey}` })],
    ['a key with a character missing', (key) => ({ 'x-api-key': key.slice(0, -1) })],
    ['a key with a character more', (key) => ({ 'x-api-key': `${key}A` })],
    ['a key in other capitals', (key) => ({ 'x-api-key': key.toUpperCase() })],
    ['a key without its prefix', (key) => ({ 'x-api-key': key.slice(4) })],
    ['Bearer in X-API-Key', (key) => ({ 'x-api-key': `Bearer ${key}` })],
    ['Authorization without a scheme', (key) => ({ authorization: key })],
    ['Authorization with another scheme', (key) => ({ authorization: `Token ${key}` })],
    ['Basic credentials', (key) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` })],
    ['Bearer with nothing behind it', () => ({ authorization: 'Bearer' })],
    ['Bearer with two keys', (key) => ({ authorization: `Bearer ${key} ${key}` })],
    ['a key and an empty Authorization', (key) => ({ 'x-api-key': key, authorization: '' })],
    ['a key in a cookie', (key) => ({ cookie: `api_key=${key}` })],
  ]
  for (const [what, headers] of bad) {
    test(`${what} is 401`, async () => {
      const { key } = await api.tenant()
      const answer = await api.clientWith(headers(key)).get('/monitors')
      assert.equal(answer.status, 401)
      expectError(answer, 'unauthorized')
    })
  }

  test('a key in the query is ignored', async () => {
    const { key } = await api.tenant()
    const answer = await api.clientWith({}).get(`/monitors?api_key=${key}&x-api-key=${key}&token=${key}`)
    expectError(answer, 'unauthorized')
  })

  test('without a key every path and method under /api/v1 is 401, unknown ones too', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const nobody = api.clientWith({})
    for (const operation of monitorOperations) expectError(await call(nobody, operation, id), 'unauthorized')
    for (const path of ['/', '', '/nothing', '/monitors/x/y/z', '/incidents']) {
      expectError(await nobody.get(path), 'unauthorized')
    }
    expectError(await nobody.send('PUT', '/monitors', {}), 'unauthorized')
    assert.equal(await total(client), 1)
  })
}

function endedKeys(api: Api): void {
  for (const [what, end] of [
    ['expired', expire],
    ['disabled', disable],
    ['revoked', revoke],
    ['revoked from outside', revokeFromOutside],
  ] as const) {
    test(`a key that is ${what} is 401 from the next request on, and the organization's other keys still work`, async () => {
      const { orgId, client: other } = await api.tenant()
      const { keyId, key } = await api.server.makeKey(orgId, 'full')
      const client = api.clientOf(key)
      const { id } = await createMonitor(client)
      await end(api.server, keyId)
      expectError(await client.get('/monitors'), 'unauthorized')
      expectError(await client.delete(`/monitors/${id}`), 'unauthorized')
      assert.equal(await total(other), 1)
    })
  }

  test('an expired, disabled or revoked key is named as such only to a client that has the whole secret', async () => {
    const { orgId } = await api.tenant()
    const [disabled, revoked] = [await api.server.makeKey(orgId, 'full'), await api.server.makeKey(orgId, 'full')]
    await disable(api.server, disabled.keyId)
    await revoke(api.server, revoked.keyId)
    const expired = await api.server.makeKey(orgId, 'full', Date.now() - 1000)
    const message = async (key: string) => (await api.clientOf(key).get('/monitors')).body.error.message
    assert.equal(await message(disabled.key), 'The API key is disabled')
    assert.equal(await message(revoked.key), 'The API key has been revoked')
    assert.equal(await message(expired.key), 'The API key has expired')
    for (const { key } of [disabled, revoked, expired]) {
      for (const guess of [key.slice(0, -1), `${key}A`, `${key.slice(0, -1)}!`]) {
        assert.equal(await message(guess), 'The API key is not valid')
      }
    }
    assert.equal(await message(unknownKey), 'The API key is not valid')
  })
}

function severalHeaders(api: Api): void {
  test('each request on a connection is answered for its own key', async () => {
    const [one, other] = [await api.tenant(), await api.tenant()]
    await createMonitor(one.client)
    const keys = [one.key, one.key, other.key, unknownKey, one.key]
    const send = keys.map((key) => keepAliveRequest('GET', '/api/v1/monitors', { 'X-API-Key': key })).join('')
    const { answers } = await runConnection(Number(new URL(api.server.url).port), [{ send }], { enough: keys.length })
    assert.deepEqual(
      answers.map(({ status, body }) => (status === 200 ? JSON.parse(body).pagination.total : status)),
      [1, 1, 0, 401, 1],
    )
  })

  test('X-API-Key sent twice is 401', async () => {
    const { key } = await api.tenant()
    const twice = [`X-API-Key: ${key}`, `X-API-Key: ${key}`]
    const answer = await exchange(api.server.url, request('GET', '/api/v1/monitors', twice))
    expectConforms(answer, { method: 'GET', path: '/monitors' }, api.contract)
    expectError(answer, 'unauthorized')
  })
}
