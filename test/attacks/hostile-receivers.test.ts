import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import type net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createGuard } from '../../src/outbound/guard.ts'
import { type HttpConnection, openHttpConnection } from '../../src/outbound/http-connection.ts'
import { execute, q } from '../../src/storage/query.ts'
import { type Listener, listen, raw } from '../outbound/fixtures.ts'
import { createMonitor, createPage, fetchPage } from '../publishing/public-site/fixtures.ts'
import { makeAuthority } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { skipWithout } from '../support/programs.ts'
import { startRegistries } from '../support/rdap-server.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createDelivery, createEndpoint, currentDelivery } from '../support/webhooks.ts'

const KIB = 1024
/** How much a flood sends if it is not cut off. */
const FLOOD_BYTES = 48 * KIB * KIB
/** Without reading anything more, the kernel takes a few MiB of it into its buffers. */
const BUFFERED_BYTES = 16 * KIB * KIB
/** The limit, and the rest of the last read. */
const MAX_READ_BYTES = (256 + 64) * KIB

const TOO_LARGE = /^The response is larger than (256|64) KiB with its headers$/

/** Responses that never end: how they start, what they repeat, and the reason that is recorded. */
const floods: Record<string, readonly [start: string, piece: string, reason: RegExp]> = {
  'early hints': ['', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000), /^The server sent more than 8 informational/],
  'a reason phrase': ['HTTP/1.1 200 ', 'x'.repeat(64 * KIB), TOO_LARGE],
  'a chunk extension': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;', 'x'.repeat(64 * KIB), TOO_LARGE],
  'chunks of one byte with long extensions': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    `1;${'x'.repeat(4000)}\r\nx\r\n`.repeat(16),
    TOO_LARGE,
  ],
}

interface Receiver extends Listener {
  readonly url: string
  /** Of its next responses. */
  flood: string
  /** Waits until all connections are closed and makes sure that none has taken all of the flood. */
  assertCut(): Promise<void>
}

/** Writes the flood as fast as the other side reads, up to FLOOD_BYTES. */
function pour(socket: net.Socket, start: string, piece: string): void {
  socket.write(start)
  const more = (): void => {
    while (!socket.destroyed && socket.bytesWritten < FLOOD_BYTES) if (!socket.write(piece)) return
    socket.destroySoon()
  }
  socket.on('drain', more)
  more()
}

async function startFloods(): Promise<Receiver> {
  const sockets: net.Socket[] = []
  const listener = await listen(
    raw((socket) => {
      sockets.push(socket)
      const [start, piece] = floods[receiver.flood] as (typeof floods)[string]
      pour(socket, start, piece)
    }),
  )
  const receiver: Receiver = {
    ...listener,
    url: `http://127.0.0.1:${listener.port}/hook`,
    flood: '',
    async assertCut() {
      await listener.quiet()
      const taken = sockets.splice(0).map((socket) => socket.bytesWritten - socket.writableLength)
      assert.ok(taken.length > 0 && Math.max(...taken) < BUFFERED_BYTES, `${taken} bytes of the flood were taken`)
    },
  }
  return receiver
}

describe('an endless response is cut off after 256 KiB or 8 informational responses', () => {
  let receiver: Receiver
  let server: TestServer
  before(async () => {
    receiver = await startFloods()
    server = await startTestServer('sqlite', {
      env: {
        PHAROS_ROLES: 'api,sender',
        PHAROS_WEBHOOK_SCHEDULE: '0',
        PHAROS_PRIVATE_WEBHOOKS: 'allow',
        PHAROS_PRIVATE_SUBSCRIBERS: 'allow',
        PHAROS_OIDC_ISSUER: new URL(receiver.url).origin,
        PHAROS_OIDC_CLIENT_ID: 'pharos',
      },
    })
  })
  after(async () => {
    await server.stop()
    await receiver[Symbol.asyncDispose]()
  })

  for (const [flood, [, , reason]] of Object.entries(floods)) {
    test(`${flood} from a webhook endpoint is a failed attempt`, async () => {
      receiver.flood = flood
      const client = server.client()
      const endpoint = await createEndpoint(client, { url: receiver.url })
      const { id } = await createDelivery(client, endpoint.id)
      const delivery = await eventually(async () => {
        const current = await currentDelivery(client, id)
        assert.equal(current.status, 'FAILED')
        return current
      })
      await client.delete(`/webhook-endpoints/${endpoint.id}`)
      const [attempt] = delivery.attempts
      assert.partialDeepStrictEqual(attempt, { outcome: 'FAILED', responseStatus: null, error: 'CONNECT' })
      await receiver.assertCut()
    })

    test(`${flood} from the webhook of an anonymous subscriber is a failed message`, async () => {
      receiver.flood = flood
      const client = server.client()
      const page = await createPage(client, [await createMonitor(client, 'Website')], { subscribersEnabled: true })
      const form = { kind: 'webhook', url: `${receiver.url}?${Object.keys(floods).indexOf(flood)}` }
      assert.equal((await fetchPage(`${server.url}/status/${page.slug}/subscribe`, { form })).status, 200)
      const subscriber = q.selectFrom('subscribers').selectAll().where('page_id', '=', page.id)
      await eventually(async () => {
        const [row] = await server.running.database.read(execute(subscriber))
        assert.match(row?.last_error ?? '', reason)
      })
      await receiver.assertCut()
    })

    test(`${flood} from the webhook of an alert contact is a failed message`, async () => {
      receiver.flood = flood
      const client = server.client()
      const settings = { url: receiver.url }
      const { body: contact } = await client.post('/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })
      const { body } = await client.post(`/contacts/${contact.id}/test`)
      assert.equal(body.sent, false)
      assert.match(body.error.replace('Webhook could not be reached: ', ''), reason)
      await receiver.assertCut()
    })

    test(`${flood} from an OpenID provider is a failed sign-in`, async () => {
      receiver.flood = flood
      const { headers } = await fetchPage(`${server.url}/app/api/oidc/start`)
      assert.match(String(headers.location), /problem=oidc_away$/)
      await receiver.assertCut()
    })

    test(`${flood} from an RDAP server gives no verdict`, async () => {
      receiver.flood = flood
      await using world = await startRegistries()
      world.rdap.everything = (response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${receiver.port}/` }).end()
      const sample = await world.look('example.test')
      assert.equal(sample.outcome, 'inconclusive', JSON.stringify(sample))
      await receiver.assertCut()
    })

    test(`${flood}: no more than the rest of the last read is read beyond the limit, in each exchange`, async () => {
      const [start, piece, reason] = floods[flood] as (typeof floods)[string]
      const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${60 * KIB}\r\n\r\n${'x'.repeat(60 * KIB)}`
      let requests = 0
      await using listener = await listen(
        raw((socket) => {
          requests += 1
          if (requests <= 8) socket.write(answer)
          else pour(socket, start, piece)
        }),
      )
      const { connection, send } = await connect(`http://127.0.0.1:${listener.port}/`)
      // Together more than the limit, on one connection.
      for (let i = 0; i < 8; i += 1) assert.equal((await send()).status, 200)
      const before = connection.bytesRead
      await assert.rejects(send(), ({ message }: Error) => reason.test(message))
      assert.ok(connection.bytesRead - before <= MAX_READ_BYTES, `${connection.bytesRead - before} bytes`)
      assert.ok(!connection.isOpen)
    })
  }
})

async function connect(url: string, ca: string[] = []) {
  const signal = AbortSignal.timeout(20_000)
  const guard = createGuard({ policy: 'allow', ca })
  const connection: HttpConnection = await openHttpConnection(new URL(url), ['127.0.0.1'], guard, signal)
  return { connection, send: () => connection.send({ url, headers: {}, body: '{}' }, '/', signal) }
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

test('a TLS server that sends session tickets without end is cut off after 32', {
  skip: skipWithout(hasOpenssl, 'openssl'),
}, async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pharos-tickets-'))
  const pem = join(folder.path, 'pem')
  const authority = makeAuthority('Test authority')
  const { key, cert } = authority.issue({ hosts: ['127.0.0.1'] })
  writeFileSync(pem, `${key}\n${cert}`)
  const port = await freePort()
  const options = ['-accept', `127.0.0.1:${port}`, '-cert', pem, '-num_tickets', '5000', '-tls1_3']
  const server = spawn('openssl', ['s_server', ...options], { stdio: ['pipe', 'pipe', 'ignore'] })
  try {
    for await (const text of server.stdout) if (`${text}`.includes('ACCEPT')) break
    const { send } = await connect(`https://127.0.0.1:${port}/`, [authority.cert])
    await assert.rejects(send(), { message: 'The server sent more than 32 TLS session tickets' })
  } finally {
    server.kill()
    await once(server, 'exit')
  }
})
