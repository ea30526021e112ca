import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { type Client, startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'

const MB = 1_000_000
/** More than the system buffers for a connection. */
const BODY_CHARS = 100_000
const MONITORS = 50
const LIST = '/api/v1/monitors?limit=100'

/** Some characters take two units of a JavaScript string, so that chunks of the response may end inside of one. */
const requestBody = `${'b'.repeat(BODY_CHARS / 2)}${'😀é'.repeat(BODY_CHARS / 4)}`

async function fill(client: Client): Promise<void> {
  for (let i = 0; i < MONITORS; i += 1) {
    const monitor = { name: `m${i}`, type: 'HTTP', url: 'https://example.com/', method: 'POST', requestBody }
    const { status, body } = await client.post('/monitors', monitor)
    assert.equal(status, 201, JSON.stringify(body).slice(0, 500))
  }
}

interface Reader {
  readonly socket: Socket
  /** Reads to the end; whether the whole response came. */
  finish(): Promise<boolean>
}

/** Sends requests on one connection and reads nothing yet. */
function stall(server: TestServer, requests: readonly string[], key = server.key): Reader {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname).pause()
  let error: Error | undefined
  socket.on('error', (thrown) => {
    error = thrown
  })
  socket.write(requests.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`).join(''))
  return {
    socket,
    async finish() {
      let text = ''
      let isComplete = false
      socket.setEncoding('latin1').on('data', (chunk) => {
        text += chunk
        isComplete = text.startsWith('HTTP/1.1 200 ') && text.length >= lengthIn(text.slice(0, 4096))
        if (isComplete) socket.destroy()
      })
      socket.resume()
      if (!socket.destroyed) await once(socket, 'close').catch(() => {})
      return isComplete && error === undefined
    },
  }
}

interface Counts {
  readonly stalled: number
  readonly pendingBytes: number
  /** Lists that were answered or refused. */
  readonly answered: number
}

async function countsOf({ running }: TestServer): Promise<Counts> {
  const text = await (await fetch(running.metricsUrl as string)).text()
  const value = (name: string): number => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0)
  const lists = 'pharos_http_requests_total{operation="listMonitors",status='
  return {
    stalled: value('pharos_slow_readers_dropped_total{reason="stalled"}'),
    pendingBytes: value('pharos_response_bytes_pending'),
    answered: value(`${lists}"200"}`) + value(`${lists}"429"}`),
  }
}

const startServer = (engine: 'sqlite' | 'postgres', slowReaders: TestServerOptions['slowReaders']) =>
  startTestServer(engine, {
    env: { PHAROS_ROLES: 'api', PHAROS_METRICS_LISTEN: '0' },
    ...(slowReaders && { slowReaders }),
  })

forEachEngine('clients that do not read their response', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { stallMs: 600 })
    await fill(server.client())
  })
  after(() => server.stop())

  test('a stopped reader of a large list is disconnected, and its memory is freed', async () => {
    const before = await countsOf(server)
    const reader = stall(server, [LIST])
    await eventually(async () => assert.equal((await countsOf(server)).stalled, before.stalled + 1))
    assert.equal((await countsOf(server)).pendingBytes, 0)
    assert.equal(await reader.finish(), false)
  })

  test('so are readers of a pipeline of documents and of status pages', async () => {
    await server.client().post('/status-pages', { name: 'Page', slug: 'page', isPublished: true })
    for (const path of ['/openapi.json', '/status/page']) {
      const size = (await (await fetch(`${server.url}${path}`)).arrayBuffer()).byteLength
      const before = await countsOf(server)
      const reader = stall(server, Array(Math.ceil((16 * MB) / size)).fill(path))
      await eventually(async () => assert.equal((await countsOf(server)).stalled, before.stalled + 1, path))
      reader.socket.destroy()
    }
  })

  test('a list that is sent in chunks is the same list', async () => {
    const { status, body } = await server.client().get('/monitors?limit=100')
    assert.deepEqual([status, body.data.length], [200, MONITORS])
    for (const monitor of body.data) assert.equal(monitor.requestBody, requestBody)
    const one = await server.client().get(`/monitors/${body.data[0].id}`)
    assert.deepEqual(one.body, body.data[0])
  })
})

describe('a slow client', () => {
  const STALL_MS = 2_000
  const PAUSE_MS = 100
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', { stallMs: STALL_MS })
    await fill(server.client())
  })
  after(() => server.stop())

  test('that goes on reading gets everything, although it takes longer than a stopped reader has', async () => {
    const { socket } = stall(server, [LIST])
    let [received, total, pauses] = [0, Number.POSITIVE_INFINITY, 0]
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      if (received === 0) total = lengthIn(chunk.toString('latin1'))
      received += chunk.length
      if (received >= total) break
      if (received > (pauses + 1) * (total / 25)) {
        pauses += 1
        await delay(PAUSE_MS)
      }
    }
    assert.ok(received >= total, `${received} of ${total} bytes`)
    assert.ok(pauses * PAUSE_MS > STALL_MS, `${pauses} pauses`)
    assert.equal((await countsOf(server)).stalled, 0)
  })
})

/** The length of a response by its head. */
function lengthIn(head: string): number {
  const match = /^.*?content-length: (\d+)\r\n.*?\r\n\r\n/is.exec(head)
  return (match?.[0].length ?? 0) + Number(match?.[1])
}

describe('many clients that do not read their response', () => {
  const MAX_BYTES = 60 * MB
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', { stallMs: 600_000, maxPendingBytes: MAX_BYTES })
  })
  after(() => server.stop())

  async function filledOrganization(): Promise<string> {
    const { key } = await server.organization('SELF_HOSTED')
    await fill(server.client(key))
    return key
  }

  test('do not get more memory than the bound, and others are still served', async () => {
    const attackers = [await filledOrganization(), await filledOrganization()]
    const victim = await filledOrganization()
    const early = stall(server, [LIST], victim)
    await once(early.socket, 'connect')
    await eventually(async () => assert.ok((await countsOf(server)).pendingBytes > 0))

    const readers: Reader[] = []
    let highest = 0
    for (let i = 0; i < 20; i += 1) {
      readers.push(stall(server, [LIST], attackers[i % 2] as string))
      highest = Math.max(highest, (await countsOf(server)).pendingBytes)
    }
    // All of them get their turn: readers that stopped make way for others of the same client, or those are refused.
    await eventually(async () => {
      const { answered, pendingBytes } = await countsOf(server)
      highest = Math.max(highest, pendingBytes)
      assert.equal(answered, readers.length + 1)
    })
    assert.ok(highest > 0 && highest <= MAX_BYTES, `${highest} bytes`)

    // Another client of the server lost nothing, and new requests are answered.
    assert.equal(await early.finish(), true)
    const { status, body } = await server.client(victim).get('/monitors?limit=100')
    assert.deepEqual([status, body.data?.length], [200, MONITORS])
    for (const { socket } of readers) socket.destroy()
    await eventually(async () => assert.equal((await countsOf(server)).pendingBytes, 0))
  })
})
