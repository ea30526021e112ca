import { isIPv6 } from 'node:net'

/** What stopped an outgoing connection, in the words of webhook attempts. */
export type OutboundCode = 'TIMEOUT' | 'DNS' | 'CONNECT' | 'TLS' | 'BLOCKED_ADDRESS'

/** The part of a peer's certificate that monitors remember. */
export interface PeerCertificate {
  /** SHA-256 fingerprint. */
  readonly fingerprint: string
  readonly expiresAt: number
}

interface Details {
  /** The fault lies with this machine (out of sockets, no network) and says nothing about the other side. */
  readonly isLocalFault?: boolean
  readonly cause?: unknown
}

/** A failed outgoing connection; its message is one sentence for people. */
export class OutboundError extends Error {
  readonly code: OutboundCode
  readonly isLocalFault: boolean

  constructor(code: OutboundCode, sentence: string, { isLocalFault = false, cause }: Details = {}) {
    super(sentence, { cause })
    this.name = new.target.name
    this.code = code
    this.isLocalFault = isLocalFault
  }
}

/** The policy forbids an address. The sentence keeps what an internal name resolves to from its asker. */
export class BlockedAddressError extends OutboundError {
  readonly address: string

  constructor(host: string, address: string) {
    const subject = host === address ? `${host} is` : `${host} leads to`
    super('BLOCKED_ADDRESS', `${subject} a private address, which this installation does not allow`)
    this.address = address
  }
}

export class LookupError extends OutboundError {}

export class ConnectError extends OutboundError {}

export class TlsError extends OutboundError {
  readonly certificate: PeerCertificate | undefined

  constructor(sentence: string, { certificate, ...details }: Details & { certificate?: PeerCertificate | undefined }) {
    super('TLS', sentence, details)
    this.certificate = certificate
  }
}

/** The time allowed is over. `ours` when the timer itself came late: then our event loop stood still. */
export class DeadlineError extends OutboundError {
  readonly timeoutMs: number

  constructor(timeoutMs: number, ours: boolean) {
    super('TIMEOUT', ours ? 'The event loop stood still' : `No answer within ${durationText(timeoutMs)}`, {
      isLocalFault: ours,
    })
    this.timeoutMs = timeoutMs
  }
}

// ENETUNREACH and EAFNOSUPPORT: no route at all from here (EHOSTUNREACH is what the target's own network answers).
const OUR_FAULTS = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
  'EPERM',
  'EACCES',
  'ENETUNREACH',
  'ENETDOWN',
  'EAFNOSUPPORT',
])

const SOCKET_FAULTS: Readonly<Record<string, (peer: string) => string>> = {
  ECONNREFUSED: (peer) => `Connection refused by ${peer}`,
  ECONNRESET: (peer) => `The connection was closed by ${peer}`,
  EPIPE: (peer) => `The connection was closed by ${peer}`,
  EHOSTUNREACH: (peer) => `No route to ${peer}`,
  ENETUNREACH: (peer) => `This machine has no route to ${peer}`,
  ETIMEDOUT: (peer) => `${peer} did not answer in time`,
}

/** Turns what a socket reported into a fault with a sentence. */
export function socketError(cause: unknown, address: string, port: number): ConnectError {
  const code = codeOf(cause)
  const peer = peerName(address, port)
  const sentence = SOCKET_FAULTS[code]?.(peer) ?? `The connection to ${peer} failed (${code})`
  return new ConnectError(code === 'ETIMEDOUT' ? 'TIMEOUT' : 'CONNECT', sentence, {
    isLocalFault: OUR_FAULTS.has(code),
    cause,
  })
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : error instanceof Error ? error.message : String(error)
}

export function peerName(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

export function durationText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`
}
