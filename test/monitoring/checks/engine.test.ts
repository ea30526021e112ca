import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Client, startTestServer, type TestServer } from '../../support/server.ts'

/** An HTTP target whose status the test sets. */
function startTarget() {
  let status = 200
  const server = createServer((_request, response) => response.writeHead(status).end('hello'))
  return new Promise<{ url: string; answer(next: number): void; close(): void }>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({
        url: `http://127.0.0.1:${port}/`,
        answer(next) {
          status = next
        },
        close: () => server.close().closeAllConnections(),
      })
    })
  })
}

forEachEngine('the check engine', (engine) => {
  let server: TestServer
  let client: Client
  let target: Awaited<ReturnType<typeof startTarget>>

  before(async () => {
    server = await startTestServer(engine)
    client = server.client()
    target = await startTarget()
  })

  after(async () => {
    target.close()
    await server.stop()
  })

  const stateOf = async (id: string) => (await client.get(`/monitors/${id}`)).body.state

  test('a new monitor is checked at once', async () => {
    target.answer(200)
    const { body } = await client.post('/monitors', { name: 'fresh', type: 'HTTP', url: target.url })
    assert.equal(body.state, 'PENDING')
    await eventually(async () => assert.equal(await stateOf(body.id), 'UP'))
  })

  test('a failing check opens one incident, a second failure counts in it, and the first success resolves it', async () => {
    target.answer(503)
    const { body: monitor } = await client.post('/monitors', { name: 'shaky', type: 'HTTP', url: target.url })
    await eventually(async () => assert.equal(await stateOf(monitor.id), 'DOWN'))
    await client.post(`/monitors/${monitor.id}/check`, {})
    const ongoing = await client.get(`/incidents?monitorId=${monitor.id}`)
    assert.equal(ongoing.body.pagination.total, 1)
    const { id } = ongoing.body.data[0]
    const open = (await client.get(`/incidents/${id}`)).body
    assert.equal(open.causeCode, 'STATUS')
    assert.equal(open.failedChecks, 2)
    assert.equal(open.durationSec, null)
    assert.match(open.cause, /HTTP 503/)
    target.answer(200)
    assert.equal((await client.post(`/monitors/${monitor.id}/check`, {})).body.state, 'UP')
    const resolved = (await client.get(`/incidents/${id}`)).body
    assert.notEqual(resolved.resolvedAt, null)
    assert.deepEqual(
      resolved.timeline.map((entry: { type: string }) => entry.type),
      ['OPENED', 'RESOLVED'],
    )
    assert.equal((await client.post(`/incidents/${id}/acknowledge`)).status, 409)
  })

  test('a paused monitor is not checked, and after its resume it is', async () => {
    target.answer(200)
    const { body: monitor } = await client.post('/monitors', { name: 'rest', type: 'HTTP', url: target.url })
    await eventually(async () => assert.equal(await stateOf(monitor.id), 'UP'))
    assert.equal((await client.post(`/monitors/${monitor.id}/pause`, {})).body.state, 'PAUSED')
    target.answer(500)
    assert.equal((await client.post(`/monitors/${monitor.id}/check`, {})).status, 409)
    const resumed = await client.post(`/monitors/${monitor.id}/resume`, {})
    assert.equal(resumed.body.state, 'PENDING')
    await eventually(async () => assert.equal(await stateOf(monitor.id), 'DOWN'))
  })

  test('deleting a monitor deletes its incidents', async () => {
    target.answer(500)
    const { body: monitor } = await client.post('/monitors', { name: 'gone', type: 'HTTP', url: target.url })
    await eventually(async () => assert.equal(await stateOf(monitor.id), 'DOWN'))
    const total = async () => (await client.get('/incidents')).body.pagination.total
    const before = await total()
    await client.delete(`/monitors/${monitor.id}`)
    assert.equal(await total(), before - 1)
  })

  test('heartbeats: success is UP, a failing exit code is DOWN at once, start and end give the response time', async () => {
    const { body: monitor } = await client.post('/monitors', { name: 'job', type: 'CRON', expectedPeriodSec: 60 })
    const beat = async (word = '') =>
      (await fetch(`${monitor.heartbeatUrl}${word}`, { method: 'POST', body: 'log' })).status
    assert.equal(await stateOf(monitor.id), 'PENDING')
    assert.equal(await beat('/start?rid=a'), 200)
    assert.equal(await stateOf(monitor.id), 'PENDING')
    assert.equal(await beat('?rid=a'), 200)
    assert.equal(await stateOf(monitor.id), 'UP')
    assert.notEqual((await client.get(`/monitors/${monitor.id}`)).body.lastResponseMs, null)
    assert.equal(await beat('/3'), 200)
    assert.equal(await stateOf(monitor.id), 'DOWN')
    assert.equal(await beat('/0'), 200)
    assert.equal(await stateOf(monitor.id), 'UP')
    assert.equal(await beat('/256'), 404)
    assert.equal((await fetch(`${server.url}/heartbeat/nobody`)).status, 404)
    await client.post(`/monitors/${monitor.id}/pause`, {})
    assert.equal(await beat('/fail'), 200)
    assert.equal(await stateOf(monitor.id), 'PAUSED')
  })
})
