import dns from 'node:dns/promises'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { Worker } from 'node:worker_threads'
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts'
import { type Listener, listen } from '../support/listener.ts'

export { type DnsAnswer, NXDOMAIN, SERVFAIL } from '../support/dns-server.ts'
export { type Listener, listen } from '../support/listener.ts'

export interface DnsServer extends AsyncDisposable {
  /** A resolver that uses this server alone. */
  readonly resolver: dns.Resolver
  /** Name and type of each question. */
  readonly questions: readonly string[]
}

/** A DNS server on loopback, and a resolver that uses it. */
export async function startDns(
  answer: (name: string, type: string) => DnsAnswer,
  { timeoutMs = 20_000 } = {},
): Promise<DnsServer> {
  const server = await startDnsServer(({ name, type }) => answer(name.toLowerCase(), type))
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries: 1 })
  resolver.setServers([server.address])
  return {
    resolver,
    get questions() {
      return server.questions.map(({ name, type }) => `${name.toLowerCase()} ${type}`)
    },
    async [Symbol.asyncDispose]() {
      resolver.cancel()
      await server[Symbol.asyncDispose]()
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
