import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Api, startApi } from '../../support/api.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { createMonitor, expectError, smallest, total } from '../../support/monitors.ts'
import { type FreshDatabase, migratedDatabase } from '../../support/postgres.ts'
import type { Answer, Client } from '../../support/server.ts'

/** PostgreSQL only: SQLite always has one node. */
describe('two nodes on one database (postgres)', { skip: withoutPostgres }, () => {
  let database: FreshDatabase
  let nodes: readonly [Api, Api]

  before(async () => {
    database = await migratedDatabase()
    const options = { databaseUrl: database.url, env: { PHAROS_RATE_LIMIT: '120' } }
    nodes = [await startApi('postgres', options), await startApi('postgres', options)]
  })
  after(async () => {
    await Promise.all(nodes.map((node) => node.server.stop()))
    await database.drop()
  })

  /** Sends to both nodes in turn, all at once. */
  const spread = (key: string, count: number, send: (client: Client) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => send((nodes[i % 2] as Api).clientOf(key))))

  test('of 200 concurrent requests to both nodes exactly 120 pass', async () => {
    const { key } = await nodes[0].tenant()
    const answers = await spread(key, 200, (client) => client.get('/monitors'))
    const passed = answers.filter((answer) => answer.status !== 429)
    assert.equal(passed.length, 120)
    for (const answer of passed) assert.equal(answer.status, 200)
    const counts = new Set(passed.map((answer) => answer.headers.get('ratelimit-remaining')))
    assert.equal(counts.size, 120, 'no two requests were counted as one')
    for (const node of nodes) expectError(await node.clientOf(key).get('/monitors'), 'rate_limited')
  })

  test('40 concurrent requests with one Idempotency-Key to both nodes create one monitor', async () => {
    const { key } = await nodes[0].tenant()
    const headers = { 'idempotency-key': 'forty-at-once' }
    const create = (client: Client) => client.post('/monitors', smallest('HTTP'), headers)
    const answers = await spread(key, 40, create)
    const createMonitor = answers.filter((answer) => answer.status === 201)
    assert.ok(createMonitor.length > 0, 'somebody succeeded')
    for (const answer of answers.filter((one) => one.status !== 201)) expectError(answer, 'idempotency_in_progress')
    assert.equal(new Set(createMonitor.map((answer) => answer.body.id)).size, 1)
    assert.equal(createMonitor.filter((answer) => answer.headers.get('idempotency-replayed') === null).length, 1)
    for (const answer of await spread(key, 10, create)) {
      assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [201, 'true'])
      assert.deepEqual(answer.body, createMonitor[0]?.body)
    }
    for (const node of nodes) assert.equal(await total(node.clientOf(key)), 1)
  })

  test('a change on one node is visible on the other at once', async () => {
    const { key } = await nodes[0].tenant()
    const [one, other] = nodes.map((node) => node.clientOf(key)) as [Client, Client]
    const { id } = await createMonitor(one)
    for (let i = 0; i < 5; i += 1) {
      const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one]
      const { body } = await writer.patch(`/monitors/${id}`, { name: `Version ${i}` })
      assert.deepEqual((await reader.get(`/monitors/${id}`)).body, body)
    }
    assert.equal((await other.delete(`/monitors/${id}`)).status, 200)
    expectError(await one.get(`/monitors/${id}`), 'not_found')
  })

  test('plan limits are exact across nodes', async () => {
    const { key } = await nodes[0].tenant('FREE')
    const answers = await spread(key, 30, (client) => client.post('/monitors', smallest('HTTP')))
    assert.equal(answers.filter((answer) => answer.status === 201).length, 10)
    for (const answer of answers.filter((one) => one.status !== 201)) expectError(answer, 'plan_limit')
    assert.equal(await total(nodes[0].clientOf(key)), 10)
  })
})
