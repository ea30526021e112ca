import { randomBytes, randomInt } from 'node:crypto'
import type dgram from 'node:dgram'
import { ConnectError, codeOf } from '../../../outbound/errors.ts'
import type { Echo, Echoer, EchoResult } from './echo.ts'
import { encodeRequest, type Family, type Message, parseMessage, TOKEN_BYTES } from './icmp-packet.ts'

/** Further pings fail. Sequence numbers end at 65,535. */
const MAX_PENDING = 16_384
const RECEIVE_BUFFER_BYTES = 1024 * 1024
/** ICMP has no ports. Where Linux reads this value, it takes it for the protocol: ICMPv6 is 58. */
const NO_PORT = 58

/** Send errors that concern the address; all others concern this machine. */
const ADDRESS_ERRORS: Readonly<Record<string, string>> = {
  EHOSTUNREACH: 'host unreachable',
  EHOSTDOWN: 'host unreachable',
  EACCES: 'broadcast address, or not permitted',
  EINVAL: 'not an address that can be pinged',
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
    close(new ConnectError('CONNECT', `The ICMP socket failed (${codeOf(cause)})`, { isLocalFault: true, cause }))
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
      if (!isOpen) return failedEcho('The ICMP socket is closed')
      if (pending.size >= MAX_PENDING) return failedEcho('Too many pings are waiting for replies')
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
  const reason = ADDRESS_ERRORS[code]
  if (reason !== undefined) return { outcome: 'unreachable', error: unreachableError(address, reason, cause) }
  const sentence =
    code === 'ENETUNREACH' ? `This server has no route to ${address}` : `${address} could not be pinged (${code})`
  return { outcome: 'not sent', error: new ConnectError('CONNECT', sentence, { isLocalFault: true, cause }) }
}

export function unreachableError(address: string, reason: string, cause?: unknown): ConnectError {
  return new ConnectError('CONNECT', `Ping to ${address} failed: ${reason}`, { cause })
}

export function failedEcho(sentence: string): Echo {
  const error = new ConnectError('CONNECT', sentence, { isLocalFault: true })
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
