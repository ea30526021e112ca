import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import type { Credentials } from './certificates.ts'
import { type Listener, listen } from './listener.ts'

export type ProxyServer = Listener & {
  /** What clients asked for: `CONNECT 127.0.0.1:443`, `GET http://…`, or `SOCKS 127.0.0.1:80`. */
  readonly asked: readonly string[]
}

interface ProxyOptions {
  /** `user:password`. */
  readonly login?: string
  /** Serves TLS. */
  readonly credentials?: Credentials
  /** Where names lead that only the proxy knows; all other targets are connected to as given. */
  readonly names?: Readonly<Record<string, string>>
}

/** An HTTP proxy on loopback: CONNECT, and requests with a whole URL. */
export async function startHttpProxy({ login, credentials, names = {} }: ProxyOptions = {}): Promise<ProxyServer> {
  const asked: string[] = []
  const isRefused = ({ headers }: http.IncomingMessage) =>
    login !== undefined && headers['proxy-authorization'] !== `Basic ${btoa(login)}`
  const forward: http.RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (isRefused(request)) return response.writeHead(407).end()
    const { hostname, port, pathname, search } = new URL(request.url ?? '')
    const { 'proxy-authorization': _, ...headers } = request.headers
    const options = {
      host: names[hostname] ?? hostname,
      port,
      path: pathname + search,
      method: request.method,
      headers,
    }
    return request.pipe(
      http.request(options, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      }),
    )
  }
  const server = credentials ? https.createServer(credentials, forward) : http.createServer(forward)
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    asked.push(`CONNECT ${request.url}`)
    if (isRefused(request)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const { hostname, port } = new URL(`http://${request.url}`)
    return join(socket, names[hostname] ?? hostname.replace(/^\[|\]$/g, ''), Number(port || 80), () =>
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    )
  })
  return { ...(await listen(server)), asked }
}

/** A SOCKS5 proxy on loopback. */
export async function startSocksProxy({ login, names = {} }: ProxyOptions = {}): Promise<ProxyServer> {
  const asked: string[] = []
  const serve = async (socket: net.Socket) => {
    // Nothing is lost between two messages: the client sends the next one after the reply to the last.
    const next = async () => (await once(socket, 'data'))[0] as Buffer
    const methods = (await next()).subarray(2)
    const method = login === undefined ? 0 : 2
    if (!methods.includes(method)) return socket.end(Buffer.from([5, 0xff]))
    socket.write(Buffer.from([5, method]))
    if (login !== undefined) {
      const given = await next()
      const [nameBytes = 0] = given.subarray(1)
      const pair = `${given.subarray(2, 2 + nameBytes)}:${given.subarray(3 + nameBytes)}`
      socket.write(Buffer.from([1, pair === login ? 0 : 1]))
      if (pair !== login) return socket.end()
    }
    const request = await next()
    const port = request.readUInt16BE(request.length - 2)
    const host = hostIn(request)
    asked.push(`SOCKS ${host}:${port}`)
    return join(
      socket,
      names[host] ?? host,
      port,
      () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])),
      () => socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])),
    )
  }
  return { ...(await listen(net.createServer((socket) => void serve(socket).catch(() => socket.destroy())))), asked }
}

function hostIn(request: Buffer): string {
  const rest = request.subarray(4, -2)
  if (request[3] === 1) return rest.join('.')
  if (request[3] === 3) return rest.subarray(1).toString()
  const groups = Array.from({ length: 8 }, (_, i) => rest.readUInt16BE(i * 2).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

function join(socket: net.Socket, host: string, port: number, onReady: () => void, onRefused?: () => void): void {
  const target = net.connect(port, host, () => {
    onReady()
    socket.pipe(target).pipe(socket)
  })
  target.on('error', () => (onRefused ? onRefused() : socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')))
  socket.on('error', () => target.destroy()).on('close', () => target.destroy())
}
