import dgram from 'node:dgram'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'

/** The answer of the DNS server to one query; null for none. */
export type DnsReply = { readonly addresses?: readonly string[]; readonly rcode?: number } | null

export interface DnsServer extends AsyncDisposable {
  /** A resolver that uses this server alone. */
  readonly resolver: dns.Resolver
  readonly questions: readonly string[]
}

export const NXDOMAIN = { rcode: 3 }
export const SERVFAIL = { rcode: 2 }

const TYPE_NAMES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }

/** A DNS server on loopback for A and AAAA queries. */
export async function startDns(
  answer: (name: string, type: string) => DnsReply,
  { timeoutMs = 20_000 } = {},
): Promise<DnsServer> {
  const socket = dgram.createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, peer) => {
    const { name, end, type } = readQuestion(query)
    questions.push(`${name} ${type}`)
    const reply = answer(name, type)
    if (reply !== null) socket.send(encodeReply(query, end, reply), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    resolver,
    questions,
    async [Symbol.asyncDispose]() {
      resolver.cancel()
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(query: Buffer): { name: string; end: number; type: string } {
  const labels: string[] = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size))
    at += size + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: TYPE_NAMES[query.readUInt16BE(at + 1)] ?? 'OTHER' }
}

function encodeReply(query: Buffer, questionEnd: number, { addresses = [], rcode = 0 }: NonNullable<DnsReply>): Buffer {
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | rcode, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) => {
    const bytes = addressBytes(address)
    // A pointer to the name in the query, type, class IN, and a long TTL, which must be ignored.
    const record = Buffer.from([0xc0, 0x0c, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0x0e, 0x10, 0, bytes.length])
    return Buffer.concat([record, bytes])
  })
  return Buffer.concat([head, query.subarray(12, questionEnd), ...records])
}

function addressBytes(address: string): Buffer {
  if (net.isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (part: string | undefined) => (part ? part.split(':') : [])
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]))
}

export interface Listener extends AsyncDisposable {
  readonly port: number
  /** Connections accepted so far. */
  readonly connections: () => number
  /** Resolves when all connections are closed. Only sockets that are read notice that. */
  readonly quiet: () => Promise<void>
}

/** Starts a server on loopback and tracks its connections. */
export async function listen(server: net.Server, host = '127.0.0.1', port = 0): Promise<Listener> {
  const open = new Set<net.Socket>()
  let connections = 0
  let onQuiet: (() => void)[] = []
  server.on('connection', (socket: net.Socket) => {
    connections += 1
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      if (open.size > 0) return
      for (const resolve of onQuiet) resolve()
      onQuiet = []
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    quiet: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => onQuiet.push(resolve))),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A request as it arrived. */
export interface Arrival {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export type RecordingSite = Listener & { readonly arrivals: readonly Arrival[]; at(path: string): string }

/** An HTTP server that records requests and answers by path. */
export async function recordingSite(
  answer: (path: string, response: http.ServerResponse) => void,
): Promise<RecordingSite> {
  const arrivals: Arrival[] = []
  const server = http.createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    arrivals.push({ method: request.method, url: request.url, headers: request.headers, body })
    answer(request.url ?? '', response)
  })
  const listener = await listen(server)
  return { ...listener, arrivals, at: (path) => `http://127.0.0.1:${listener.port}${path}` }
}

/** A server that gets the request as text and answers with raw bytes. */
export function raw(answer: (socket: net.Socket, request: string) => void): net.Server {
  return net.createServer((socket) => {
    let request = ''
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1')
      const [head = '', body] = request.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (body === undefined || body.length < length) return
      answer(socket, request)
      request = ''
    })
  })
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'

const BUSY_LISTENER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer().listen({ port: 0, host: workerData, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/** A port that answers nothing: its listener is blocked and its queue full, so the kernel drops new connections. */
export async function unresponsivePort(host = '127.0.0.1'): Promise<{ readonly port: number } & AsyncDisposable> {
  const worker = new Worker(BUSY_LISTENER, { eval: true, workerData: host })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers = Array.from({ length: 4 }, () => net.connect(port, host).on('error', () => {}))
  await once(fillers[0] as net.Socket, 'connect')
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const filler of fillers) filler.destroy()
      await worker.terminate()
    },
  }
}

/** A signal that never aborts. */
export const never = new AbortController().signal
