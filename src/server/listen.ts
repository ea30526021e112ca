import { type AddressInfo, createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Node accepts one connection per listening socket and turn of the event loop. With one socket, the connection of a user
 * waits one turn for each connection of a flood that came before it. Linux spreads new connections over the sockets of a port.
 */
const SOCKETS = process.platform === 'linux' ? 64 : 1

/** The port or address is not available. The message names the setting. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}

export interface Listener {
  readonly url: string
  /** Refuses new connections at once. Resolves when the existing ones have ended. */
  close(): Promise<unknown>
}

export async function listen(server: FastifyInstance, host: string, port: number): Promise<Listener> {
  const further: Server[] = []
  const close = () => Promise.all([...further.map(closed), server.close()])
  try {
    const at = { host, port, reusePort: SOCKETS > 1 }
    if (at.reusePort) await requireFree(host, port)
    await server.listen(at)
    const { address, family, port: actual } = server.server.address() as AddressInfo
    while (further.length < SOCKETS - 1) further.push(socketOf(server))
    await Promise.all(further.map((socket) => bound(socket, { host: address, port: actual, reusePort: true })))
    return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`, close }
  } catch (error) {
    await close()
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new CannotListen(
        `PORT: ${host}:${port} is already in use; stop the other program or set PORT to another port`,
      )
    throw new CannotListen(`HOST: cannot listen on ${host}:${port}: ${message}`)
  }
}

/** A port that another process of the same user shares (`reusePort`) would not be an error; two servers would split the requests. */
async function requireFree(host: string, port: number): Promise<void> {
  const socket = createServer()
  await bound(socket, { host, port })
  await closed(socket)
}

/** The options are those of an HTTP server's own socket. */
function socketOf(server: FastifyInstance): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
    server.server.emit('connection', connection)
  })
}

function bound(socket: Server, at: { host: string; port: number; reusePort?: boolean }): Promise<void> {
  return new Promise((resolve, reject) => socket.once('error', reject).listen(at, resolve))
}

function closed(socket: Server): Promise<unknown> {
  return new Promise((resolve) => socket.close(resolve))
}
