import type { Socket } from 'node:net'
import { reason } from '../reasons/reason.ts'
import { ConnectError } from './errors.ts'

/**
 * Reads from a socket until `countWanted` says how many of the bytes so far it wants, and puts the rest back. Meant for the few
 * bytes that a proxy sends before the connection belongs to the target. Throws a ConnectError or the signal's reason.
 */
export function readBytes(
  socket: Socket,
  countWanted: (bytes: Buffer) => number | undefined,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    const end = () => {
      socket.off('readable', read).off('close', closed)
      signal.removeEventListener('abort', abort)
    }
    const fail = (error: unknown) => {
      end()
      reject(error)
    }
    const read = () => {
      const chunk: Buffer | null = socket.read()
      if (chunk === null) return
      bytes = Buffer.concat([bytes, chunk])
      const count = countWanted(bytes)
      if (count === undefined) {
        if (bytes.length > maxBytes) fail(new ConnectError('CONNECT', reason('proxy_answer_too_long')))
        return
      }
      end()
      if (bytes.length > count) socket.unshift(bytes.subarray(count))
      resolve(bytes.subarray(0, count))
    }
    const closed = () => fail(new ConnectError('CONNECT', reason('proxy_closed')))
    const abort = () => fail(signal.reason)
    if (signal.aborted) return abort()
    if (socket.destroyed) return closed()
    // Not 'data' and pause(): a paused socket would not flow again for those who use it next.
    socket.on('readable', read).on('close', closed)
    signal.addEventListener('abort', abort)
  })
}
