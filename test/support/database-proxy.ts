import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { urlVariable } from './postgres.ts'

/** A network in front of the tests' PostgreSQL that can hang or break. */
export interface DatabaseProxy extends AsyncDisposable {
  /** Of the database with this name, through the proxy. */
  url(database: string): string
  readonly port: number
  /** From now on nothing passes, and no connection closes. */
  stall(): void
  resume(): void
  /** Closes all connections. */
  cut(): void
  /** Closes a connection when the client sends this text, which the server still receives. */
  cutAfter(text: string): void
}

export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const server = new URL(process.env[urlVariable] as string)
  const folder = server.searchParams.get('host')
  const user = server.searchParams.get('user') ?? server.username
  const pairs = new Set<readonly [Socket, Socket]>()
  let isStalled = false
  let lastWords: string | undefined

  const listener = createServer((client) => {
    const upstream = folder ? connect(`${folder}/.s.PGSQL.5432`) : connect(Number(server.port || 5432), server.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    client.on('data', (chunk) => {
      upstream.write(chunk)
      if (lastWords !== undefined && chunk.includes(lastWords)) {
        lastWords = undefined
        upstream.pause()
        client.destroy()
        // The server needs the time to act on it.
        setTimeout(end, 200)
      }
    })
    upstream.on('data', (chunk) => client.write(chunk))
    for (const socket of pair) socket.on('error', end)
    upstream.on('close', end)
    client.on('close', () => upstream.end())
    if (isStalled) for (const socket of pair) socket.pause()
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    pairs.clear()
  }
  return {
    port,
    url: (database) => `postgres://${user}@127.0.0.1:${port}/${database}`,
    stall() {
      isStalled = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    resume() {
      isStalled = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    cut,
    cutAfter(text) {
      lastWords = text
    },
    async [Symbol.asyncDispose]() {
      cut()
      listener.close()
      await once(listener, 'close')
    },
  }
}
