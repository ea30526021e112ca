import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { type Listener, listen } from '../../support/listener.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { check } from '../incidents/incidents.ts'

const stable = () => '<html><title>Shop</title><p>Welcome to the shop</p></html>'
/** Its text differs too. */
const withNonce = () =>
  `<html><title>Shop</title><script nonce="${randomUUID()}"></script><p>${randomUUID().replaceAll('-', ' ')}</p></html>`

describe('What changed soon after a monitor was created', () => {
  let server: TestServer
  let listener: Listener
  const site = { body: stable, status: 200, server: 'nginx' }
  before(async () => {
    const web = createServer((_request, response) => {
      const headers = { server: site.server, 'content-type': 'text/html', connection: 'close' }
      response.writeHead(site.status, headers).end(site.body())
    })
    listener = await listen(web)
    server = await startTestServer('sqlite', { env: { PHAROS_CONFIRM_DELAYS: '' } })
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await listener[Symbol.asyncDispose]()
  })

  async function monitored(body: () => string, checks: number): Promise<string> {
    Object.assign(site, { body, status: 200, server: 'nginx' })
    const settings = { url: `http://127.0.0.1:${listener.port}/`, intervalSeconds: 3600 }
    const { id } = await createMonitor(server.client(), smallest('HTTP', settings))
    for (let i = 0; i < checks; i += 1) assert.equal((await check(server.client(), id)).state, 'UP')
    return id
  }

  async function evidenceOfOutage(id: string) {
    Object.assign(site, { status: 503, server: 'envoy' })
    assert.equal((await check(server.client(), id)).state, 'DOWN')
    const { data } = (await server.client().get(`/incidents?monitorId=${id}`)).body
    return (await server.client().get(`/incidents/${data[0].id}/evidence`)).body
  }

  const cases = [
    ['5 checks of a stable page', stable, 5],
    ['12 checks of a page with a nonce', withNonce, 12],
    ['3 checks of a page with a nonce', withNonce, 3],
  ] as const
  for (const [name, body, count] of cases) {
    test(`another server is named after ${name}`, async () => {
      const { summary, changes } = await evidenceOfOutage(await monitored(body, count))
      assert.deepEqual(summary, ['Server changed from nginx to envoy.'])
      const fields = changes.map(({ field }: { field: string }) => field)
      assert.deepEqual(fields, ['server', 'status'])
    })
  }

  test('rows of an earlier version are learned anew', async () => {
    const id = await monitored(stable, 1)
    const lastGood = { server: 'server: nginx', status: '200' }
    const old = JSON.stringify({ lastGood, at: Date.now() - 1000, changes: [], checks: 4, counts: { server: 1 } })
    await server.running.database.write(() => execute(q.updateTable('monitor_evidence').set({ evidence: old })))
    assert.deepEqual((await server.client().get(`/monitors/${id}/evidence`)).body.lastGood, lastGood)
    for (let i = 0; i < 3; i += 1) assert.equal((await check(server.client(), id)).state, 'UP')
    assert.deepEqual((await evidenceOfOutage(id)).summary, ['Server changed from nginx to envoy.'])
  })
})
