import type { X509Certificate } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { englishText } from '../reasons/english.ts'
import { type Reason, reason } from '../reasons/reason.ts'

/** Why an outgoing connection failed; webhook delivery attempts show it. */
export type OutboundCode = 'TIMEOUT' | 'DNS' | 'CONNECT' | 'TLS' | 'BLOCKED_ADDRESS'

/** What is stored of a peer's certificate. */
export interface PeerCertificate {
  /** SHA-256 fingerprint: tells one certificate from its successor. */
  readonly fingerprint: string
  readonly expiresAt: number
}

/** The other side of a TLS handshake, for those who want more than what is stored. */
export interface TlsPeer {
  readonly presented: X509Certificate
  /** Such as "TLSv1.3". */
  readonly protocol: string | null
}

interface Details {
  /** The cause is on this machine (out of sockets, no network) and says nothing about the peer. */
  readonly isLocalFault?: boolean
  readonly cause?: unknown
}

/** A failed outgoing connection; its message is one sentence for people. */
export class OutboundError extends Error {
  readonly code: OutboundCode
  readonly reason: Reason
  readonly isLocalFault: boolean

  constructor(code: OutboundCode, reason: Reason, { isLocalFault = false, cause }: Details = {}) {
    super(englishText(reason), { cause })
    this.name = new.target.name
    this.code = code
    this.reason = reason
    this.isLocalFault = isLocalFault
  }
}

export class LookupError extends OutboundError {}

export class ConnectError extends OutboundError {}

interface TlsErrorDetails {
  readonly certificate?: PeerCertificate | undefined
  readonly peer?: TlsPeer | undefined
}

export class TlsError extends OutboundError {
  readonly certificate: PeerCertificate | undefined
  readonly peer: TlsPeer | undefined

  constructor(reason: Reason, { certificate, peer, ...details }: Details & TlsErrorDetails) {
    super('TLS', reason, details)
    this.certificate = certificate
    this.peer = peer
  }
}

/** The time is up. It is a local fault when the timer itself fired late, because our event loop was blocked. */
export class DeadlineError extends OutboundError {
  readonly timeoutMs: number

  constructor(timeoutMs: number, isLocalFault: boolean) {
    super('TIMEOUT', isLocalFault ? reason('too_busy') : reason('no_response', { ms: timeoutMs }), { isLocalFault })
    this.timeoutMs = timeoutMs
  }
}

/** The same fault with the part that failed in front: "Proxy 192.0.2.1:3128: Connection refused by 192.0.2.1:3128". */
export function faultOf(part: 'proxy' | 'token_endpoint', host: string, error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error
  const { code, isLocalFault } = error
  return new OutboundError(code, reason(part, { host, cause: error.reason }), { isLocalFault, cause: error })
}

// ENETUNREACH and EAFNOSUPPORT mean that this machine has no route. EHOSTUNREACH is not listed: the target's network reports it.
const LOCAL_CODES = new Set([
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

const SOCKET_REASONS = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed_by',
  EPIPE: 'connection_closed_by',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_own_route',
  ETIMEDOUT: 'connection_timed_out',
} as const

/** A ConnectError for the error of a socket. */
export function socketError(cause: unknown, address: string, port: number): ConnectError {
  const code = codeOf(cause)
  const peer = peerName(address, port)
  const known = Object.hasOwn(SOCKET_REASONS, code) ? SOCKET_REASONS[code as keyof typeof SOCKET_REASONS] : undefined
  const why = known === undefined ? reason('connection_failed', { peer, error: code }) : reason(known, { peer })
  return new ConnectError(code === 'ETIMEDOUT' ? 'TIMEOUT' : 'CONNECT', why, {
    isLocalFault: LOCAL_CODES.has(code),
    cause,
  })
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : error instanceof Error ? error.message : String(error)
}

function peerName(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}
