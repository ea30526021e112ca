import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, current, expectError, smallest, total } from '../../support/monitors.ts'
import type { Answer } from '../../support/server.ts'

const DAY_MS = 24 * 60 * 60 * 1000

function expectReplay(answer: Answer, first: Answer): void {
  assert.equal(first.headers.get('idempotency-replayed'), null, 'the first answer is no replay')
  assert.equal(answer.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual([answer.status, answer.body], [first.status, first.body])
  assert.notEqual(answer.headers.get('x-request-id'), first.headers.get('x-request-id'))
}

forEachEngine('idempotency', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  sameInput(api)
  scopeAndTime(api, clock)
})

function sameInput(api: Api): void {
  const same: readonly (readonly [string, unknown, unknown])[] = [
    ['a default spelled out', smallest('HTTP'), smallest('HTTP', { method: 'GET', intervalSeconds: 300, port: null })],
    [
      'another order of the fields',
      { name: 'A', type: 'CRON', requestHeaders: { a: '1', b: '2' } },
      { requestHeaders: { b: '2', a: '1' }, type: 'CRON', name: 'A' },
    ],
    ['other white space', '{"name":"A","type":"CRON"}', ' {\n"type" : "CRON",\t"name":"A" }\r\n'],
    ['another spelling of the same text', '{"name":"\\u0041","type":"CRON"}', '{"name":"A","type":"CRON"}'],
    ['another spelling of a number', '{"name":"A","type":"CRON","port":1e2}', '{"name":"A","type":"CRON","port":100}'],
  ]
  for (const [what, one, another] of same) {
    test(`${what} is the same input`, async () => {
      const { client } = await api.tenant()
      const headers = { 'idempotency-key': 'same' }
      const first = await client.post('/monitors', one, headers)
      assert.equal(first.status, 201)
      expectReplay(await client.post('/monitors', another, headers), first)
      assert.equal(await total(client), 1)
    })
  }

  const different: readonly (readonly [string, object])[] = [
    ['another value', { name: 'Other' }],
    ['a field that is not its default', { port: 80 }],
    ['another order in a list', { expectedStatus: [201, 200] }],
  ]
  for (const [what, change] of different) {
    test(`${what} is different input`, async () => {
      const { client } = await api.tenant()
      const headers = { 'idempotency-key': 'different' }
      await client.post('/monitors', smallest('HTTP', { expectedStatus: [200, 201] }), headers)
      const body = smallest('HTTP', { expectedStatus: [200, 201], ...change })
      expectError(await client.post('/monitors', body, headers), 'idempotency_conflict')
      assert.equal(await total(client), 1)
    })
  }

  test('method and path are part of the input', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const headers = { 'idempotency-key': 'method' }
    assert.equal((await client.patch(`/monitors/${id}`, {}, headers)).status, 200)
    expectError(await client.send('DELETE', `/monitors/${id}`, {}, headers), 'idempotency_conflict')
    expectError(await client.delete(`/monitors/${id}`, headers), 'idempotency_conflict')
    expectError(await client.patch('/monitors/mon_other', {}, headers), 'idempotency_conflict')
    assert.equal(await total(client), 1)
  })

  test('updates have no defaults: a field spelled out with its present value is different input', async () => {
    const { client } = await api.tenant()
    const { id, method } = await createMonitor(client)
    const headers = { 'idempotency-key': 'patch' }
    assert.equal((await client.patch(`/monitors/${id}`, { name: 'B' }, headers)).status, 200)
    expectError(await client.patch(`/monitors/${id}`, { name: 'B', method }, headers), 'idempotency_conflict')
  })
}

function scopeAndTime(api: Api, clock: HandClock): void {
  test('a replay returns the original response and changes nothing', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const headers = { 'idempotency-key': 'rename' }
    const first = await client.patch(`/monitors/${id}`, { name: 'First' }, headers)
    await client.patch(`/monitors/${id}`, { name: 'Second' })
    expectReplay(await client.patch(`/monitors/${id}`, { name: 'First' }, headers), first)
    assert.equal((await current(client, id)).name, 'Second')
  })

  test('a replayed creation does not count against the plan', async () => {
    const { client } = await api.tenant('FREE')
    const headers = { 'idempotency-key': 'create' }
    for (let i = 0; i < 15; i += 1) {
      assert.equal((await client.post('/monitors', smallest('HTTP'), headers)).status, 201)
    }
    for (let i = 0; i < 9; i += 1) await createMonitor(client)
    expectError(await client.post('/monitors', smallest('HTTP')), 'plan_limit')
    assert.equal((await client.post('/monitors', smallest('HTTP'), headers)).status, 201)
  })

  test("keys belong to the organization: its other API keys share them, another organization's do not", async () => {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const headers = { 'idempotency-key': 'shared' }
    const first = await own.client.post('/monitors', smallest('HTTP'), headers)
    const colleague = api.clientOf((await api.server.makeKey(own.orgId, 'full')).key)
    expectReplay(await colleague.post('/monitors', smallest('HTTP'), headers), first)
    const foreign = await other.client.post('/monitors', smallest('HTTP'), headers)
    assert.deepEqual([foreign.status, foreign.headers.get('idempotency-replayed')], [201, null])
    assert.notEqual(foreign.body.id, first.body.id)
    expectError(await other.client.post('/monitors', smallest('PING'), headers), 'idempotency_conflict')
    assert.deepEqual([await total(own.client), await total(other.client)], [1, 1])
  })

  test('a response is replayed for 24 hours; then the key is free', async () => {
    const { client } = await api.tenant()
    const headers = { 'idempotency-key': 'day' }
    const first = await client.post('/monitors', smallest('HTTP'), headers)
    clock.advance(DAY_MS - 1)
    expectReplay(await client.post('/monitors', smallest('HTTP'), headers), first)
    expectError(await client.post('/monitors', smallest('PING'), headers), 'idempotency_conflict')
    clock.advance(1)
    const second = await client.post('/monitors', smallest('PING'), headers)
    assert.deepEqual([second.status, second.body.type], [201, 'PING'])
    expectReplay(await client.post('/monitors', smallest('PING'), headers), second)
    assert.equal(await total(client), 2)
  })

  test('a replay does not extend the 24 hours', async () => {
    const { client } = await api.tenant()
    const headers = { 'idempotency-key': 'prolong' }
    const first = await client.post('/monitors', smallest('HTTP'), headers)
    for (const _ of [1, 2, 3]) {
      clock.advance(DAY_MS / 4)
      expectReplay(await client.post('/monitors', smallest('HTTP'), headers), first)
    }
    clock.advance(DAY_MS / 4)
    const second = await client.post('/monitors', smallest('HTTP'), headers)
    assert.notEqual(second.body.id, first.body.id)
  })
}
