/**
 * The process of the attackers. It sends its parent the addresses of a target that never answers and of hostile webhook
 * receivers, attacks from the message with the scene until the message `stop`, and sends the number of answers by status.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ATTACKER_ADDRESS,
  type Attack,
  type AttackedScene,
  keyOf,
  type Received,
  type Send,
  type Sent,
} from './attack.ts'
import { startForeignHost } from './foreign-host.ts'
import { foreignInputAttacks } from './foreign-input.ts'

/** Between an answer and the next request of an attacker, so that the attackers leave the server a core. */
const PAUSE_MS = 50
/** An attack ends by itself if its parent does not end it. */
const LONGEST_MS = 15 * 60_000
/** How long the server waits for the rest of a body. */
const STALL_MS = 20_000
const ONLY = process.env.BENCH_ONLY ?? ''

const manyFields = JSON.stringify(Object.fromEntries(Array.from({ length: 178_000 }, (_, i) => [`f${i}`, 1])))
const manyHeaders = JSON.stringify({
  name: 'Headers',
  type: 'HTTP',
  url: 'http://127.0.0.1/',
  requestHeaders: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`x-${i}`, ''])),
})
const largeText = 'x'.repeat(2_000_000)

const attacks: readonly Attack[] = [
  {
    name: 'fields',
    parallel: 5,
    step: (send) => send({ path: '/app/api/sign-in', headers: { 'sec-fetch-site': 'same-origin' }, body: manyFields }),
  },
  {
    name: 'headers',
    parallel: 2,
    step: (send, { large }, i, n) =>
      send({ path: '/api/v1/monitors', headers: keyOf(large, i + n), body: manyHeaders }),
  },
  {
    name: 'stalled bodies',
    parallel: 290,
    step: async (_send, { origin, large }, i) => {
      const status = await stall(origin, large.keys[i % large.keys.length] as string)
      // As often as if the server had waited for the rest of the body.
      await delay(STALL_MS)
      return status
    },
  },
  {
    name: 'bulk labels',
    parallel: 30,
    step: (send, { large }, i, n) => {
      const labels = { round: String(n % 50), by: String(i) }
      const body = JSON.stringify({ monitorIds: large.monitorIds, action: 'LABEL', labels })
      return send({ path: '/api/v1/monitors/bulk', headers: keyOf(large, i), body })
    },
  },
  {
    name: 'bulk contacts',
    parallel: 10,
    step: (send, { large }, i, n) => {
      const { monitorIds, contactId } = large
      const change = n % 2 === 0 ? { attachContactIds: [contactId] } : { detachContactIds: [contactId] }
      const body = JSON.stringify({ monitorIds, ...change })
      return send({ method: 'PATCH', path: '/api/v1/monitors/bulk', headers: keyOf(large, i), body })
    },
  },
  {
    name: 'status pages',
    parallel: 20,
    step: (send, { large }, i) => send({ path: `/status/${large.slugs[i % large.slugs.length]}` }),
  },
  {
    name: 'heartbeats',
    parallel: 4,
    step: (send, { heartbeatUrl }, _i, n) => send({ path: `${heartbeatUrl}${n % 2 === 0 ? '/fail' : ''}` }),
  },
  {
    name: 'twenty keys',
    parallel: 20,
    step: (send, { small }, i) => send({ path: '/api/v1/monitors', headers: keyOf(small, i) }),
  },
  ...foreignInputAttacks,
]

const chosen = attacks.filter(({ name }) => ONLY === '' || name === ONLY)
if (chosen.length === 0 && ONLY !== 'none') {
  throw new Error(`BENCH_ONLY is none or one of: ${attacks.map(({ name }) => name).join(', ')}`)
}
for (const { prepare } of chosen) prepare?.()

function sendTo(origin: string): Send {
  const agent = new Agent({ keepAlive: true, localAddress: ATTACKER_ADDRESS })
  const read = ({ path, headers = {}, body, method = body === undefined ? 'GET' : 'POST' }: Sent) =>
    new Promise<Received>((resolve) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(`${origin}${path}`, { agent, method, headers: { ...type, ...headers } }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('close', () => resolve({ status: response.statusCode ?? 0, text: `${Buffer.concat(chunks)}` }))
      })
      sent.on('error', () => resolve({ status: 0, text: '' }))
      sent.end(body)
    })
  return Object.assign(async (sent: Sent) => (await read(sent)).status, { read })
}

/** Sends all of a large body but its end, then nothing, until the server closes the connection. */
function stall(origin: string, key: string): Promise<number> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    let status = 0
    const socket = connect({ port: Number(port), host: hostname, localAddress: ATTACKER_ADDRESS })
    socket.setTimeout(2 * STALL_MS, () => socket.destroy())
    socket.on('data', (chunk) => {
      if (status === 0) status = Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1', 0, 20))?.[1] ?? 0)
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(status))
    const head = `POST /api/v1/monitors HTTP/1.1\r\nHost: attack\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: ${largeText.length + 100}\r\n\r\n`)
    socket.write(largeText)
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

const foreignUrl = await startForeignHost()

process.on('message', (message: 'stop' | Omit<AttackedScene, 'foreignUrl'>) => {
  if (message === 'stop') {
    isStopped = true
    process.send?.(counts, () => process.exit())
    return
  }
  const send = sendTo(message.origin)
  for (const attack of chosen) {
    for (let i = 0; i < attack.parallel; i += 1) void run(attack, send, { ...message, foreignUrl }, i)
  }
})
process.on('disconnect', () => process.exit())
process.send?.({ hangingUrl, receiverUrls })
