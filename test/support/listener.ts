import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

export interface Listener extends AsyncDisposable {
  readonly port: number
  /** Connections accepted so far. */
  readonly connections: () => number
  /** Resolves when all connections are closed. Only sockets that are read notice that. */
  readonly quiet: () => Promise<void>
}

/** Starts a server on loopback and tracks its connections. Its end closes them. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<Listener> {
  const open = new Set<Socket>()
  let connections = 0
  let onQuiet: (() => void)[] = []
  server.on('connection', (socket: Socket) => {
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
