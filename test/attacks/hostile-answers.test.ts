import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { fetchPage } from '../publishing/public-site/fixtures.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { eventually } from '../support/eventually.ts'
import { smallest } from '../support/monitors.ts'
import { bodyOf, startTestServer, type TestServer } from '../support/server.ts'
import { createDelivery, createEndpoint, currentDelivery } from '../support/webhooks.ts'
import { MAX_TURN_MS } from './short-turns.ts'

const KIB = 1024

/** Contents that take much time or memory to read. */
const contents: Readonly<Record<string, Buffer>> = {
  'deep lists': Buffer.from(`{"message":${'['.repeat(30 * KIB)}${']'.repeat(30 * KIB)}}`),
  'deep objects': Buffer.from(`{"message":${'{"a":'.repeat(10 * KIB)}0${'}'.repeat(10 * KIB)}}`),
  'many lists': Buffer.from(`{"message":[${Array.from({ length: 20_000 }, () => '[]').join(',')}]}`),
  'many keys': Buffer.from(`{${Array.from({ length: 6_000 }, (_, i) => `"k${i}":0`).join(',')}}`),
  'a long text': Buffer.from(`{"message":"${'\\u0000'.repeat(10 * KIB)}"}`),
  'many lines': Buffer.from('\n \r\u0007'.repeat(15 * KIB)),
  'not UTF-8': Buffer.alloc(63 * KIB, 0xff),
  'megabytes of a list': Buffer.from(`{"issuer":[${'{},'.repeat(KIB * KIB)}{}]}`),
}

/** Contact channels whose receiver a user names. */
const channels: Readonly<Record<string, (url: string) => object>> = {
  WEBHOOK: (url) => ({ url }),
  GOTIFY: (url) => ({ server: url, token: 'token' }),
  NTFY: (url) => ({ server: url, topic: 'topic' }),
}

describe('a hostile answer is read in short turns of the event loop', () => {
  let receiver: Server
  let url: string
  let server: TestServer
  let content: Buffer = Buffer.alloc(0)
  let status = 400
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json' }).end(content)
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    server = await startTestServer('sqlite', {
      env: {
        PHAROS_ROLES: 'api,sender',
        PHAROS_WEBHOOK_SCHEDULE: '0',
        PHAROS_PRIVATE_WEBHOOKS: 'allow',
        PHAROS_OIDC_ISSUER: url,
        PHAROS_OIDC_CLIENT_ID: 'pharos',
      },
    })
  })
  after(async () => {
    await server.stop()
    receiver.close()
  })

  async function requireShortTurns(work: () => Promise<unknown>): Promise<void> {
    for (const [name, bytes] of Object.entries(contents)) {
      content = bytes
      let longestMs = Number.POSITIVE_INFINITY
      for (let run = 0; run < 5 && longestMs > MAX_TURN_MS; run += 1) {
        const turns = measureTurns()
        try {
          await work()
        } finally {
          longestMs = Math.min(longestMs, turns.stop())
        }
      }
      assert.ok(longestMs <= MAX_TURN_MS, `${name}: a turn of the event loop took ${longestMs} ms`)
    }
  }

  for (const [channel, settings] of Object.entries(channels)) {
    test(`from the receiver of a contact (${channel})`, async () => {
      status = 400
      const contact = { name: channel, channel, settings: settings(`${url}/hook`) }
      await requireShortTurns(async () => {
        // Test messages of one organization are limited.
        const client = server.client((await server.organization('BUSINESS')).key)
        const { id } = bodyOf(await client.post('/contacts', contact), 201)
        const { status, body } = await client.post(`/contacts/${id}/test`)
        assert.equal(status, 200, JSON.stringify(body))
        assert.equal(body.sent, false)
        assert.ok(body.error.length < 500, `${body.error.length} characters`)
      })
    })
  }

  test('from a webhook endpoint', async () => {
    status = 400
    const client = server.client()
    await requireShortTurns(async () => {
      const endpoint = await createEndpoint(client, { url: `${url}/hook` })
      const { id } = await createDelivery(client, endpoint.id)
      const delivery = await eventually(async () => {
        const current = await currentDelivery(client, id)
        assert.equal(current.status, 'FAILED')
        return current
      })
      assert.ok(delivery.attempts[0].responseBody.length <= 4096)
      await client.delete(`/webhook-endpoints/${endpoint.id}`)
    })
  })

  test('from an OpenID provider', async () => {
    status = 200
    await requireShortTurns(async () => {
      const { headers } = await fetchPage(`${server.url}/app/api/oidc/start`)
      assert.match(String(headers.location), /problem=oidc_away$/)
    })
  })

  test('from a target whose body is judged by assertions, and from a token endpoint', async () => {
    status = 200
    const client = server.client()
    const http = { ...smallest('HTTP'), url: `${url}/` }
    const assertions = [{ source: 'JSON', path: '$..*', operator: 'EQUALS', value: 'x' }]
    const auth = { type: 'OAUTH2_CLIENT_CREDENTIALS', tokenUrl: `${url}/token`, clientId: 'a', clientSecret: 'b' }
    await requireShortTurns(async () => {
      const judged = await client.post('/monitors/try', { ...http, options: { assertions: { assertions } } })
      assert.equal(judged.status, 200, JSON.stringify(judged.body))
      const denied = await client.post('/monitors/try', { ...http, options: { request: { auth } } })
      assert.equal(denied.status, 200, JSON.stringify(denied.body))
    })
  })
})
