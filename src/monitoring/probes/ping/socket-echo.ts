import { randomBytes, randomInt } from 'node:crypto'
import type dgram from 'node:dgram'
import { ConnectError, codeOf } from '../../../outbound/errors.ts'
import type { Echo, Echoer, EchoResult } from './echo.ts'
import { encodeRequest, type Family, type Message, parseMessage, TOKEN_BYTES } from './icmp-packet.ts'

/** More unanswered pings than this mean that something is wrong here, and sequence numbers end at 65,535. */
const MAX_WAITING = 16_384
const RECEIVE_BUFFER_BYTES = 1024 * 1024
/** ICMP knows no ports. Linux takes this one, where it looks at all, for the protocol: ICMPv6's own number. */
const NO_PORT = 58

/** What sending may say of the one address; everything else concerns this machine. */
const ADDRESS_FAULTS: Readonly<Record<string, string>> = {
  EHOSTUNREACH: 'host unreachable',
  EHOSTDOWN: 'host unreachable',
  EACCES: 'it is a broadcast address, or forbidden',
  EINVAL: 'it is no address for pings',
}

interface Waiting {
  readonly address: string
  readonly token: Buffer
  readonly sentAt: number
  settle(result: EchoResult): void
}

/**
 * All pings of one family over one ICMP socket. The kernel gives a datagram socket an id of its own, and a raw one hears
 * the replies to everybody's pings: so a reply is known by the random token that it brings back.
 */
export function echoOverSocket(socket: dgram.Socket, family: Family, onBroken: () => void): Echoer {
  const waiting = new Map<number, Waiting>()
  const id = randomInt(0x10000)
  let sequence = randomInt(0x10000)
  let isOpen = true

  const close = (fault?: ConnectError) => {
    if (!isOpen) return
    isOpen = false
    socket.close()
    for (const { settle } of waiting.values()) settle(fault ? { got: 'fault', error: fault } : { got: 'silence' })
  }
  socket.on('error', (cause) => {
    close(new ConnectError('CONNECT', `The ICMP socket failed (${codeOf(cause)})`, { isLocalFault: true, cause }))
    onBroken()
  })
  socket.on('message', (bytes) => {
    const message = parseMessage(family, bytes)
    if (message === null) return
    const known = find(waiting, id, message)
    if (message.is === 'reply') known?.settle({ got: 'reply', rttMs: performance.now() - known.sentAt })
    else known?.settle({ got: 'refusal', error: unreachableError(known.address, message.why) })
  })
  // A waiting check has its own timer; without one, nothing here keeps the process alive.
  socket.unref()
  widen(socket)

  const nextSequence = () => {
    do sequence = (sequence + 1) & 0xffff
    while (waiting.has(sequence))
    return sequence
  }
  return {
    ping(address) {
      if (!isOpen) return failedEcho('The ICMP socket is closed')
      if (waiting.size >= MAX_WAITING) return failedEcho('Too many pings are waiting for their replies')
      const number = nextSequence()
      const token = randomBytes(TOKEN_BYTES)
      const { promise, resolve } = Promise.withResolvers<EchoResult>()
      const settle = (result: EchoResult) => {
        waiting.delete(number)
        resolve(result)
      }
      waiting.set(number, { address, token, sentAt: performance.now(), settle })
      const request = encodeRequest(family, { id, sequence: number, token })
      socket.send(request, NO_PORT, address, (cause) => {
        if (cause) settle(sendFault(address, cause))
      })
      // A number that has gone to another ping since must not be taken from that one.
      return { settled: promise, cancel: () => waiting.get(number)?.token === token && settle({ got: 'silence' }) }
    },
    close: () => close(),
  }
}

function find(waiting: ReadonlyMap<number, Waiting>, id: number, message: Message): Waiting | undefined {
  const quoted = message.is === 'reply' ? message : message.quoted
  const known = waiting.get(quoted.sequence)
  if (known === undefined) return undefined
  if (quoted.token.length === TOKEN_BYTES) return quoted.token.equals(known.token) ? known : undefined
  // Old routers quote no more than the header of a request that they could not pass on.
  return message.is === 'refusal' && quoted.id === id && message.to === known.address ? known : undefined
}

function sendFault(address: string, cause: Error): EchoResult {
  const code = codeOf(cause)
  const why = ADDRESS_FAULTS[code]
  if (why !== undefined) return { got: 'refusal', error: unreachableError(address, why, cause) }
  const sentence =
    code === 'ENETUNREACH' ? `This machine has no route to ${address}` : `${address} could not be pinged (${code})`
  return { got: 'fault', error: new ConnectError('CONNECT', sentence, { isLocalFault: true, cause }) }
}

export function unreachableError(address: string, why: string, cause?: unknown): ConnectError {
  return new ConnectError('CONNECT', `${address} cannot be reached: ${why}`, { cause })
}

export function failedEcho(sentence: string): Echo {
  const error = new ConnectError('CONNECT', sentence, { isLocalFault: true })
  return { settled: Promise.resolve({ got: 'fault', error }), cancel() {} }
}

/** Hundreds of replies may arrive while the event loop is busy. The system may grant less: then it is as it was. */
function widen(socket: dgram.Socket): void {
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
  } catch {
    // Not granted.
  }
}
