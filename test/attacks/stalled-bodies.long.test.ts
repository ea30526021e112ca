import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventually } from '../support/eventually.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const MIB = 1024 * 1024
/** One byte of the body never comes. */
const UNFINISHED = Buffer.alloc(MIB - 1, ' ')

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Memory of buffers, which is where bodies are held. */
function bufferMib(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers / MIB
}

interface Sender {
  readonly socket: Socket
  /** What the server has answered. */
  readonly received: () => string
  /** Resolves when the system has taken everything, or the server has closed the connection. */
  readonly sent: Promise<unknown>
}

describe('bodies that stop arriving', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api', PHAROS_METRICS_LISTEN: '0' } })
  })
  after(() => server.stop())

  /** Begins a request from a loopback address, and sends this part of its body. */
  const send = (localAddress: string, length: number, part: Buffer | string): Sender => {
    const { hostname: host, port } = new URL(server.url)
    const socket = connect({ host, port: Number(port), localAddress })
    let text = ''
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        text += chunk
      })
    const head = ['POST /api/v1/monitors HTTP/1.1', 'Host: a', `X-API-Key: ${server.key}`]
    socket.write(`${[...head, 'Content-Type: application/json', `Content-Length: ${length}`].join('\r\n')}\r\n\r\n`)
    const sent = Promise.race([new Promise((resolve) => socket.write(part, resolve)), once(socket, 'close')])
    return { socket, received: () => text, sent }
  }
  const stall = (address: string): Sender => send(address, MIB, UNFINISHED)
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(server.running.metricsUrl as string)).text()
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  }
  const heldMib = async () => (await metric('pharos_request_body_bytes_pending')) / MIB
  const end = async (senders: readonly Sender[]): Promise<void> => {
    for (const { socket } of senders) socket.destroy()
    await eventually(async () => assert.equal(await heldMib(), 0))
  }

  test('hold at most 32 MiB for one address, get 429, and another address is served', async () => {
    const before = bufferMib()
    const senders = Array.from({ length: 290 }, () => stall('127.0.0.1'))
    await Promise.all(senders.map(({ sent }) => sent))
    await eventually(async () => {
      const open = senders.filter(({ socket }) => !socket.closed)
      assert.ok(open.length <= 32, `${open.length} connections`)
    })
    assert.ok((await heldMib()) <= 32)
    const held = bufferMib() - before
    assert.ok(held < 64, `${held} MiB`)
    // Some are closed before their answer can be read, because they are still sending.
    const answers = senders.map(({ received }) => received()).filter((text) => text !== '')
    assert.ok(answers.length > 0)
    for (const text of answers) {
      assert.match(text, /^HTTP\/1\.1 429 /)
      assert.match(text, /^retry-after: 1\r$/m)
      assert.match(text, /"code":"rate_limited"/)
    }

    const body = '{"name":"served","type":"CRON"}'
    const other = send('127.0.0.2', body.length, body.slice(0, 10))
    await other.sent
    other.socket.write(body.slice(10))
    await eventually(async () => assert.match(other.received(), /^HTTP\/1\.1 201 /))

    await end([...senders, other])
    await eventually(async () => assert.ok(bufferMib() - before < 8, `${bufferMib() - before} MiB`))
  })

  test('of two addresses fill the budget, and the one that holds most makes room for a third', async () => {
    const first = Array.from({ length: 32 }, () => stall('127.0.0.1'))
    const second = Array.from({ length: 31 }, () => stall('127.0.0.2'))
    await eventually(async () => assert.ok((await heldMib()) > 62.9))
    const body = `{"name":"third","type":"CRON"}`.padEnd(2 * MIB)
    const third = send('127.0.0.3', body.length, body.slice(0, -10))
    await third.sent
    await eventually(async () => assert.equal(first.filter(({ socket }) => socket.closed).length, 1))
    third.socket.write(body.slice(-10))
    await eventually(async () => assert.match(third.received(), /^HTTP\/1\.1 201 /))
    assert.equal(second.filter(({ socket }) => socket.closed).length, 0)
    await end([...first, ...second, third])
  })

  test('of one address are at most 64: the oldest makes room', async () => {
    const refused = await metric('pharos_request_bodies_refused_total')
    const senders: Sender[] = []
    for (let i = 0; i < 65; i += 1) {
      const sender = send('127.0.0.1', 100, '{')
      senders.push(sender)
      if (i === 0) await eventually(async () => assert.ok((await heldMib()) > 0))
    }
    await eventually(async () => assert.match(senders[0]?.received() ?? '', /^HTTP\/1\.1 429 /))
    assert.equal(senders.filter(({ received }) => received() !== '').length, 1)
    assert.equal(await metric('pharos_request_bodies_refused_total'), refused + 1)
    await end(senders)
  })

  test('hold no more than they have in chunks of one byte', async () => {
    const { hostname: host, port } = new URL(server.url)
    const before = process.memoryUsage().heapUsed
    const socket = connect({ host, port: Number(port) }).on('error', () => {})
    const head = ['POST /api/v1/monitors HTTP/1.1', 'Host: a', `X-API-Key: ${server.key}`, 'Transfer-Encoding: chunked']
    socket.write(`${head.join('\r\n')}\r\n\r\n${'1\r\n \r\n'.repeat(MIB / 8)}`)
    await eventually(async () => assert.equal(await heldMib(), 1 / 8))
    collectGarbage()
    const grown = (process.memoryUsage().heapUsed - before) / MIB
    assert.ok(grown < 8, `${grown} MiB`)
    socket.destroy()
  })
})
