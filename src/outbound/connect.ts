import net from 'node:net'
import { ConnectError, socketError } from './errors.ts'

/** RFC 8305: when an address stays silent this long, the next one is tried beside it. */
const NEXT_ADDRESS_MS = 250
/** A name may list hundreds of addresses; nobody gains from knocking at all of them. */
const MAX_ADDRESSES = 8

export interface TcpConnection {
  readonly socket: net.Socket
  readonly address: string
  readonly connectMs: number
}

/**
 * Connects to the first of the given addresses that answers. They come from a guard, already judged; nothing is looked
 * up here. The caller owns the socket; every other one is destroyed. Throws a ConnectError or the signal's reason.
 */
export function connectTcp(addresses: readonly string[], port: number, signal: AbortSignal): Promise<TcpConnection> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const startedAt = performance.now()
    const candidates = addresses.slice(0, MAX_ADDRESSES)
    const attempts: net.Socket[] = []
    const faults: ConnectError[] = []
    let timer: NodeJS.Timeout | undefined
    let isOver = false

    const stop = (winner?: net.Socket) => {
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      for (const attempt of attempts) if (attempt !== winner) attempt.destroy()
    }
    const abort = () => {
      stop()
      reject(signal.reason)
    }
    const tryNext = () => {
      clearTimeout(timer)
      const address = candidates[attempts.length]
      if (address === undefined) return
      const socket = net.connect({ host: address, port })
      attempts.push(socket)
      const fail = (error: Error) => {
        if (isOver) return
        faults.push(socketError(error, address, port))
        if (faults.length < candidates.length) return tryNext()
        stop()
        reject(worstOf(faults))
      }
      socket.on('error', fail)
      socket.once('connect', () => {
        // A closed socket outlives what is collected often, and everything would with it that hangs on its listeners.
        socket.on('error', ignore).off('error', fail)
        stop(socket)
        resolve({ socket, address, connectMs: performance.now() - startedAt })
      })
      if (attempts.length < candidates.length) timer = setTimeout(tryNext, NEXT_ADDRESS_MS)
    }
    if (candidates.length === 0) return reject(worstOf(faults))
    signal.addEventListener('abort', abort)
    tryNext()
  })
}

/** A socket that nobody listens to would bring the process down when its peer misbehaves later. */
function ignore(): void {}

/** One address that the target itself refused says more than a route that is missing here. */
function worstOf(faults: readonly ConnectError[]): ConnectError {
  return (
    faults.find((fault) => !fault.isLocalFault) ??
    faults[0] ??
    new ConnectError('CONNECT', 'There is no address to connect to')
  )
}
