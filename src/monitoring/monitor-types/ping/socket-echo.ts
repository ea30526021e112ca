import { randomBytes, randomInt } from 'node:crypto'
import type dgram from 'node:dgram'
import { ConnectError, codeOf } from '../../../outbound/errors.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import type { Echo, Echoer, EchoResult } from './echo.ts'
import { encodeRequest, type Family, type Message, parseMessage, TOKEN_BYTES, type Unreachable } from './icmp-packet.ts'

/** Further pings fail. Sequence numbers end at 65,535. */
const MAX_PENDING = 16_384
const RECEIVE_BUFFER_BYTES = 1024 * 1024
/** ICMP has no ports. Where Linux reads this value, it takes it for the protocol: ICMPv6 is 58. */
const NO_PORT = 58

/** Send errors that concern the address; all others concern this machine. */
const ADDRESS_ERRORS: Readonly<Record<string, Unreachable | undefined>> = {
  EHOSTUNREACH: 'ping_host_unreachable',
  EHOSTDOWN: 'ping_host_unreachable',
  EACCES: 'ping_broadcast',
  EINVAL: 'ping_bad_address',
}

interface Pending {
  readonly address: string
  readonly token: Buffer
  readonly sentAt: number
  settle(result: EchoResult): void
}

/**
 * Sends all pings of one family over one ICMP socket. Replies are matched by a random token: the kernel replaces the id of a
 * datagram socket, and a raw socket receives the replies to pings of other processes too.
 */
export function echoOverSocket(socket: dgram.Socket, family: Family, onBroken: () => void): Echoer {
  const pending = new Map<number, Pending>()
  const id = randomInt(0x10000)
  let sequence = randomInt(0x10000)
  let isOpen = true

  const close = (error?: ConnectError) => {
    if (!isOpen) return
    isOpen = false
    socket.close()
    for (const { settle } of pending.values()) settle(error ? { outcome: 'not sent', error } : { outcome: 'no reply' })
  }
  socket.on('error', (cause) => {
    close(
      new ConnectError('CONNECT', reason('ping_socket_failed', { error: codeOf(cause) }), {
        isLocalFault: true,
        cause,
      }),
    )
    onBroken()
  })
  socket.on('message', (bytes) => {
    const message = parseMessage(family, bytes)
    if (message === null) return
    const known = findPending(pending, id, message)
    if (message.kind === 'reply') known?.settle({ outcome: 'reply', rttMs: performance.now() - known.sentAt })
    else known?.settle({ outcome: 'unreachable', error: unreachableError(known.address, message.reason) })
  })
  // The timer of a check keeps the process alive, not this socket.
  socket.unref()
  enlargeReceiveBuffer(socket)

  const nextSequence = () => {
    do sequence = (sequence + 1) & 0xffff
    while (pending.has(sequence))
    return sequence
  }
  return {
    ping(address) {
      if (!isOpen) return failedEcho(reason('ping_socket_closed'))
      if (pending.size >= MAX_PENDING) return failedEcho(reason('too_many_pings'))
      const number = nextSequence()
      const token = randomBytes(TOKEN_BYTES)
      const { promise, resolve } = Promise.withResolvers<EchoResult>()
      const settle = (result: EchoResult) => {
        pending.delete(number)
        resolve(result)
      }
      pending.set(number, { address, token, sentAt: performance.now(), settle })
      const request = encodeRequest(family, { id, sequence: number, token })
      socket.send(request, NO_PORT, address, (cause) => {
        if (cause) settle(sendError(address, cause))
      })
      // The number may belong to a later ping by then, hence the token.
      return { settled: promise, cancel: () => pending.get(number)?.token === token && settle({ outcome: 'no reply' }) }
    },
    close: () => close(),
  }
}

function findPending(pending: ReadonlyMap<number, Pending>, id: number, message: Message): Pending | undefined {
  const quoted = message.kind === 'reply' ? message : message.quoted
  const known = pending.get(quoted.sequence)
  if (known === undefined) return undefined
  if (quoted.token.length === TOKEN_BYTES) return quoted.token.equals(known.token) ? known : undefined
  // Old routers quote only the header of the request, without the token.
  return message.kind === 'unreachable' && quoted.id === id && message.to === known.address ? known : undefined
}

function sendError(address: string, cause: Error): EchoResult {
  const code = codeOf(cause)
  const known = ADDRESS_ERRORS[code]
  if (known !== undefined) return { outcome: 'unreachable', error: unreachableError(address, known, cause) }
  const why =
    code === 'ENETUNREACH'
      ? reason('no_own_route', { peer: address })
      : reason('ping_not_sent', { address, error: code })
  return { outcome: 'not sent', error: new ConnectError('CONNECT', why, { isLocalFault: true, cause }) }
}

export function unreachableError(address: string, why: Unreachable, cause?: unknown): ConnectError {
  return new ConnectError('CONNECT', reason('ping_failed', { address, cause: reason(why) }), { cause })
}

export function failedEcho(why: Reason): Echo {
  const error = new ConnectError('CONNECT', why, { isLocalFault: true })
  return { settled: Promise.resolve({ outcome: 'not sent', error }), cancel() {} }
}

/** Hundreds of replies may arrive while the event loop is busy. The system may refuse the size. */
function enlargeReceiveBuffer(socket: dgram.Socket): void {
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
  } catch {
    // The default size stays.
  }
}
