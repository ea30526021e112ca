import type { Socket } from 'node:net'

/**
 * Closes a connection at once with a reset, which also frees the system's send buffer. `resetAndDestroy` alone would first wait
 * until everything is sent.
 */
export function resetConnection(socket: Socket): void {
  socket.resetAndDestroy()
  socket.destroy()
}
