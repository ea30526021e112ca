import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { after, before } from 'node:test'
import { type Listener, listen } from './listener.ts'

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
  const { target, start } = newHttpTarget()
  await start()
  return target
}

/** A target for the tests of the suite, which starts before the first. */
export function useHttpTarget(): HttpTarget {
  const { target, start } = newHttpTarget()
  before(start)
  after(() => target[Symbol.asyncDispose]())
  return target
}

function newHttpTarget(): { target: HttpTarget; start(): Promise<void> } {
  let gate: Promise<void> | undefined
  let visits = 0
  let listener: Listener | undefined
  const server = createHttpServer(async (_request, response) => {
    visits += 1
    server.emit('visit')
    await gate
    response.writeHead(target.status, { connection: 'close' }).end(target.body)
  })
  const target: HttpTarget = {
    get url() {
      return `http://127.0.0.1:${target.port}/`
    },
    get port() {
      return listener?.port ?? 0
    },
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
      await listener?.[Symbol.asyncDispose]()
    },
  }
  const start = async () => {
    listener = await listen(server)
  }
  return { target, start }
}

/** A port that accepts connections and sends nothing. */
export function startTcpTarget(): Promise<Listener> {
  return listen(createTcpServer((socket) => socket.resume()))
}
