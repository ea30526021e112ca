import net from 'node:net'
import { reason } from '../reasons/reason.ts'
import { ConnectError, socketError } from './errors.ts'

/** RFC 8305: when an address has not answered after this time, the next one is tried in parallel. */
const NEXT_ADDRESS_MS = 250
/** A name may list hundreds of addresses; only this many are tried. */
const MAX_ADDRESSES = 8

export interface TcpConnection {
  readonly socket: net.Socket
  readonly address: string
  readonly connectMs: number
}

/**
 * Connects to the first address that accepts. The addresses must come from a guard: nothing is resolved or checked here.
 * The caller owns the socket; the sockets of all other attempts are destroyed. Throws a ConnectError or the signal's reason.
 */
export function connectTcp(addresses: readonly string[], port: number, signal: AbortSignal): Promise<TcpConnection> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const startedAt = performance.now()
    const candidates = addresses.slice(0, MAX_ADDRESSES)
    const attempts: net.Socket[] = []
    const errors: ConnectError[] = []
    let timer: NodeJS.Timeout | undefined
    let isOver = false

    const end = (winner?: net.Socket) => {
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      for (const attempt of attempts) if (attempt !== winner) attempt.destroy()
    }
    const abort = () => {
      end()
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
        errors.push(socketError(error, address, port))
        if (errors.length < candidates.length) return tryNext()
        end()
        reject(mostTelling(errors))
      }
      socket.on('error', fail)
      socket.once('connect', () => {
        if (isOwnPort(socket)) return fail(Object.assign(new Error('Connected to itself'), { code: 'ECONNREFUSED' }))
        // `fail` would keep this whole attempt in memory as long as the socket (1,400 bytes per check).
        socket.on('error', ignore).off('error', fail)
        end(socket)
        resolve({ socket, address, connectMs: performance.now() - startedAt })
      })
      if (attempts.length < candidates.length) timer = setTimeout(tryNext, NEXT_ADDRESS_MS)
    }
    if (candidates.length === 0) return reject(mostTelling(errors))
    signal.addEventListener('abort', abort)
    tryNext()
  })
}

/**
 * Linux connects a socket to itself if it chooses the target as the socket's own port, which happens with closed ports of this
 * machine. Nobody listens there.
 */
function isOwnPort({ localPort, remotePort, localAddress, remoteAddress }: net.Socket): boolean {
  return localPort === remotePort && localAddress === remoteAddress
}

/** Without an error listener, a later error of the socket would crash the process. */
function ignore(): void {}

/** An error that the target caused tells more than a missing route on this machine. */
function mostTelling(errors: readonly ConnectError[]): ConnectError {
  return errors.find((error) => !error.isLocalFault) ?? errors[0] ?? new ConnectError('CONNECT', reason('no_address'))
}
