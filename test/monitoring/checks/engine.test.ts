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
