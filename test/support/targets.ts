import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'

/** An HTTP server on loopback to be monitored. */
export interface HttpTarget extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The number of requests so far. */
  readonly visits: number
  /** The status of its responses. */
  status: number
  body: string
  /** Delays responses until the returned function is called. */
  hold(): () => void
  /** Resolves with the next request. */
  visited(): Promise<void>
}

export async function startHttpTarget(): Promise<HttpTarget> {
  let gate: Promise<void> | undefined
  let visits = 0
  const server = createHttpServer(async (_request: IncomingMessage, response: ServerResponse) => {
    visits += 1
    server.emit('visit')
    await gate
    response.writeHead(target.status, { connection: 'close' }).end(target.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const target: HttpTarget = {
    url: `http://127.0.0.1:${port}/`,
    port,
    get visits() {
      return visits
    },
    status: 200,
    body: 'Welcome',
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return () => {
        gate = undefined
        resolve()
      }
    },
    async visited() {
      await once(server, 'visit')
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return target
}

/** A port that accepts connections and sends nothing. */
export async function startTcpTarget(): Promise<{ port: number } & AsyncDisposable> {
  const server = createTcpServer((socket) => socket.on('error', () => socket.destroy()).resume())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}
