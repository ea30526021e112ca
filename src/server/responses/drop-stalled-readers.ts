import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { resetConnection } from './reset-connection.ts'

/** A connection whose reader takes nothing for this long is closed. */
const STALL_MS = 30_000
const CHECKS_PER_TIMEOUT = 6

/** Node's handle of a socket. */
type HandledSocket = Socket & {
  readonly _handle?: {
    /** Bytes given to the system or queued for it. */
    readonly bytesWritten: number
    /** Bytes that the system has not taken yet. */
    readonly writeQueueSize: number
  } | null
}

interface Progress {
  readonly takenBytes: number
  readonly at: number
}

/**
 * Closes connections that have bytes to send but took none for 30 s. One timer checks all connections, so that a request
 * costs nothing. Returns a function that stops it.
 */
export function dropStalledReaders(server: Server, onDrop: () => void, stallMs = STALL_MS): () => void {
  const sockets = new Set<HandledSocket>()
  const stalled = new Map<HandledSocket, Progress>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      stalled.delete(socket)
    })
  })
  const check = (socket: HandledSocket, now: number): void => {
    const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle ?? {}
    const takenBytes = bytesWritten - writeQueueSize
    const before = stalled.get(socket)
    if (writeQueueSize === 0) stalled.delete(socket)
    else if (before?.takenBytes !== takenBytes) stalled.set(socket, { takenBytes, at: now })
    else if (now - before.at >= stallMs) {
      resetConnection(socket)
      onDrop()
    }
  }
  const timer = setInterval(
    () => {
      const now = performance.now()
      for (const socket of sockets) check(socket, now)
    },
    Math.ceil(stallMs / CHECKS_PER_TIMEOUT),
  )
  timer.unref()
  return () => clearInterval(timer)
}
