/**
 * The process of the attackers. It sends its parent the addresses of a target that never answers and of hostile webhook
 * receivers, attacks from the message with the scene until the message `stop`, and sends the number of answers by status.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Scene } from './scene.ts'

const ATTACKER_ADDRESS = '127.0.0.2'
/** Between an answer and the next request of an attacker, so that the attackers leave the server a core. */
const PAUSE_MS = 50
/** An attack ends by itself if its parent does not end it. */
const LONGEST_MS = 15 * 60_000
const ONLY = process.env.BENCH_ONLY ?? ''

/** The server's address. */
type AttackedScene = Scene & { readonly origin: string }

type Send = (request: Buffer | string, leaveOpenMs?: number) => Promise<number>

interface Attack {
  readonly name: string
  readonly parallel: number
  /** One step of one of the parallel attackers. Returns the status, 0 if the connection was closed. */
  readonly step: (send: Send, scene: AttackedScene, attacker: number, step: number) => Promise<number>
}

const manyFields = JSON.stringify(Object.fromEntries(Array.from({ length: 178_000 }, (_, i) => [`f${i}`, 1])))
const manyHeaders = JSON.stringify({
  name: 'Headers',
  type: 'HTTP',
  url: 'http://127.0.0.1/',
  requestHeaders: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`x-${i}`, ''])),
})
const unfinishedText = 'x'.repeat(2_000_000)

const attacks: readonly Attack[] = [
  {
    name: 'fields',
    parallel: 5,
    step: (send) => send(post('/app/api/sign-in', manyFields, 'Sec-Fetch-Site: same-origin')),
  },
  {
    name: 'headers',
    parallel: 2,
    step: (send, { large }, i, n) => send(post('/api/v1/monitors', manyHeaders, keyOf(large.keys, i + n))),
  },
  {
    name: 'stalled bodies',
    parallel: 290,
    // All but the last bytes, then silence for as long as the server waits.
    step: (send, { large }, i) =>
      send(post('/api/v1/monitors', unfinishedText, keyOf(large.keys, i)).subarray(0, -100), 30_000),
  },
  {
    name: 'bulk labels',
    parallel: 30,
    step: (send, { large }, i, n) => {
      const labels = { round: String(n % 50), by: String(i) }
      const body = JSON.stringify({ monitorIds: large.monitorIds, action: 'LABEL', labels })
      return send(post('/api/v1/monitors/bulk', body, keyOf(large.keys, i)))
    },
  },
  {
    name: 'bulk contacts',
    parallel: 10,
    step: (send, { large }, i, n) => {
      const { monitorIds, contactId } = large
      const change = n % 2 === 0 ? { attachContactIds: [contactId] } : { detachContactIds: [contactId] }
      const body = JSON.stringify({ monitorIds, ...change })
      return send(post('/api/v1/monitors/bulk', body, keyOf(large.keys, i), 'PATCH'))
    },
  },
  {
    name: 'status pages',
    parallel: 20,
    step: (send, { large }, i) =>
      send(`GET /status/${large.slugs[i % large.slugs.length]} HTTP/1.1\r\nHost: attack\r\nConnection: close\r\n\r\n`),
  },
  {
    name: 'heartbeats',
    parallel: 4,
    step: (send, { heartbeatUrl }, _i, n) =>
      send(`GET ${heartbeatUrl}${n % 2 === 0 ? '/fail' : ''} HTTP/1.1\r\nHost: attack\r\nConnection: close\r\n\r\n`),
  },
  {
    name: 'twenty keys',
    parallel: 20,
    step: (send, { small }, i) =>
      send(`GET /api/v1/monitors HTTP/1.1\r\nHost: attack\r\n${keyOf(small.keys, i)}\r\nConnection: close\r\n\r\n`),
  },
]

function keyOf(keys: readonly string[], i: number): string {
  return `X-API-Key: ${keys[i % keys.length]}`
}

function post(path: string, body: string, header: string, method = 'POST'): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: attack\r\n${header}\r\nContent-Type: application/json\r\nConnection: close\r\n`
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/** Sends bytes on a connection of their own and waits for the status of the answer, for at most `longestMs`. */
function sendTo(url: string): Send {
  const { hostname, port } = new URL(url)
  return (bytes, longestMs = 60_000) =>
    new Promise((resolve) => {
      let status = 0
      const socket = connect({ port: Number(port), host: hostname, localAddress: ATTACKER_ADDRESS })
      socket.setTimeout(longestMs, () => socket.destroy())
      socket.on('data', (chunk) => {
        if (status === 0) status = Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1', 0, 20))?.[1] ?? 0)
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(status))
      socket.write(bytes)
    })
}

/** Accepts connections and never answers. */
async function startHanging(): Promise<string> {
  return listen((socket) => void socket.resume())
}

/** Answer without end: a flood that stops when the connection is closed. */
function flood(start: string, endless: string): (socket: Socket) => void {
  const block = endless.repeat(Math.ceil(65_536 / endless.length))
  return (socket) => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(block));
    }
    socket.once('data', () => {
      socket.write(start)
      write()
    })
    socket.on('drain', write)
  }
}

async function listen(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1', 8_192)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const hangingUrl = await startHanging()
const receiverUrls = [
  await listen(flood('', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n')),
  await listen(flood('HTTP/1.1 200 ', 'reason ')),
  await listen(flood('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'extension')),
]
const counts: Record<string, Record<string, number>> = {}
let isStopped = false

async function run(attack: Attack, send: Send, scene: AttackedScene, attacker: number): Promise<void> {
  const endsAt = Date.now() + LONGEST_MS
  const count: Record<string, number> = {}
  counts[attack.name] ??= count
  for (let n = 0; !isStopped && Date.now() < endsAt; n += 1) {
    const status = await attack.step(send, scene, attacker, n)
    const of = counts[attack.name] as Record<string, number>
    of[status] = (of[status] ?? 0) + 1
    await delay(PAUSE_MS)
  }
}

process.on('message', (message: 'stop' | AttackedScene) => {
  if (message === 'stop') {
    isStopped = true
    process.send?.(counts, () => process.exit())
    return
  }
  const send = sendTo(message.origin)
  for (const attack of attacks) {
    if (ONLY !== '' && attack.name !== ONLY) continue
    for (let i = 0; i < attack.parallel; i += 1) void run(attack, send, message, i)
  }
})
process.on('disconnect', () => process.exit())
process.send?.({ hangingUrl, receiverUrls })
