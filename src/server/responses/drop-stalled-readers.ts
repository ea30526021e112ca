import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { resetConnection } from './reset-connection.ts'

/** A connection whose reader takes nothing for this long is closed. */
const STALL_MS = 30_000
const CHECKS_PER_TIMEOUT = 6

/**
 * Closes connections that have bytes to send but took none for 30 to 65 s. Sockets that have bytes to send get a timeout, which Node
 * restarts for as long as the system takes bytes. One timer looks for them, so that a request costs nothing. Returns a function
 * that stops it.
 */
export function dropStalledReaders(server: Server, onDrop: () => void, stallMs = STALL_MS): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const onTimeout = (socket: Socket): void => {
    if (socket.writableLength > 0) {
      resetConnection(socket)
      onDrop()
    } else socket.setTimeout(0)
  }
  // Without a listener Node closes the connection, also of a stream that has no news.
  server.on('request', (_request, response: ServerResponse) => response.on('timeout', onTimeout))
  const timer = setInterval(
    () => {
      for (const socket of sockets) {
        if (socket.writableLength > 0 && socket.timeout !== stallMs) socket.setTimeout(stallMs)
      }
    },
    Math.ceil(stallMs / CHECKS_PER_TIMEOUT),
  )
  timer.unref()
  return () => clearInterval(timer)
}
