import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Type from 'typebox'
import { type Operation, operation } from '../../../src/contract/operation.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { type Api, useApi } from '../../support/api.ts'
import { createMonitor, expectError, type MonitorBody, smallest } from '../../support/monitors.ts'

let failures = 0

/** An operation that throws a given number of times with a secret message. */
function fragile(method: 'GET' | 'POST'): Operation {
  return operation({
    id: `${method.toLowerCase()}Fragile`,
    method,
    path: '/fragile',
    access: method === 'GET' ? 'read' : 'write',
    tag: 'Monitors',
    summary: 'Fails',
    answer: { status: 200, schema: Type.Object({ done: Type.Boolean() }), description: 'Done' },
    // biome-ignore lint/correctness/useYield: no database access
    *handle() {
      if (failures > 0) {
        failures -= 1
        throw new TypeError('password=hunter2 in /srv/secret.ts')
      }
      return { done: true }
    },
  })
}

describe('errors', () => {
  const api = useApi('sqlite', { operations: [...operations, fragile('GET'), fragile('POST')] })
  unexpected(api)
  requestIds(api)
})

function unexpected(api: Api): void {
  for (const method of ['GET', 'POST']) {
    test(`an unexpected failure of ${method} is 500 in the envelope, without the cause`, async () => {
      const { client } = await api.tenant()
      failures = 1
      const answer = await client.send(method, '/fragile')
      assert.equal(answer.status, 500)
      expectError(answer, 'internal_error')
      assert.doesNotMatch(JSON.stringify(answer.body), /hunter2|password|secret|TypeError|\.ts/)
      assert.equal((await client.send(method, '/fragile')).status, 200)
    })
  }

  test('after a 500 the same Idempotency-Key is safe to retry: it runs, and is stored then', async () => {
    const { client } = await api.tenant()
    const headers = { 'idempotency-key': 'retry' }
    failures = 2
    expectError(await client.post('/fragile', undefined, headers), 'internal_error')
    expectError(await client.post('/fragile', undefined, headers), 'internal_error')
    const done = await client.post('/fragile', undefined, headers)
    assert.deepEqual([done.status, done.headers.get('idempotency-replayed')], [200, null])
    const again = await client.post('/fragile', undefined, headers)
    assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [done.body, 'true'])
  })
}

function requestIds(api: Api): void {
  test('every response has its own request id', async () => {
    const { client, reader } = await api.tenant()
    const { id } = await createMonitor(client)
    const readOnly = await reader()
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => client.get('/monitors')),
      ...Array.from({ length: 20 }, () => client.get('/monitors?limit=0')),
      ...Array.from({ length: 20 }, () => readOnly.delete(`/monitors/${id}`)),
      ...Array.from({ length: 20 }, () => client.get('/nothing')),
    ])
    assert.equal(new Set(answers.map((answer) => answer.headers.get('x-request-id'))).size, 80)
  })

  test('a request id sent by the client is ignored', async () => {
    const { client } = await api.tenant()
    const answer = await client.get('/monitors/mon_x', { 'x-request-id': 'mine', 'request-id': 'mine' })
    assert.notEqual(answer.headers.get('x-request-id'), 'mine')
    assert.notEqual(answer.body.error.requestId, 'mine')
  })

  test('no response carries CORS headers; a preflight request is 405', async () => {
    const { client } = await api.tenant()
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const answers = [
      await client.get('/monitors', headers),
      await client.send('OPTIONS', '/monitors', undefined, headers),
    ]
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 405],
    )
    for (const answer of answers) {
      assert.deepEqual(
        [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      )
    }
  })

  test('every fault is reported, up to 100', async () => {
    const { client } = await api.tenant()
    const expectedStatus = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 200 : 'x'))
    const requestHeaders = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`X-${i}`, i]))
    const unknown = Object.fromEntries(Array.from({ length: 36 }, (_, i) => [`unknown${i}`, i]))
    const body: MonitorBody = { type: 'PORT', ...unknown, expectedStatus, requestHeaders, name: '', timeoutSeconds: 0 }
    expectError(await client.post('/monitors', body), 'validation_error', [
      'name',
      'host',
      'port',
      'timeoutSeconds',
      ...Object.keys(unknown),
      ...Object.keys(requestHeaders).map((name) => `requestHeaders.${name}`),
      ...expectedStatus.flatMap((status, i) => (status === 'x' ? [`expectedStatus.${i}`] : [])),
    ])
  })

  test('faults name fields of every spelling', async () => {
    const { client } = await api.tenant()
    const odd = { 'a/b': 1, 'c~d': 1, 'e.f': 1, 'ü ☂': 1, __proto__x: 1, '0': 1 }
    const answer = await client.post('/monitors', { ...smallest('CRON'), ...odd })
    expectError(answer, 'validation_error', Object.keys(odd))
  })
}
