import { constants, type X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import tls from 'node:tls'
import { codeOf, type PeerCertificate, TlsError } from './errors.ts'
import { withoutTrailingDots } from './urls.ts'

/** Making a context costs more than a handshake, so all connections of one kind share one. */
export interface TlsContexts {
  readonly verified: () => tls.SecureContext
  /** For targets whose certificate nobody verifies: old protocol versions and weak keys are let through as well. */
  readonly unverified: () => tls.SecureContext
}

// X25519 first: the cheapest, and nearly every server takes it. No hybrid with ML-KEM: a server that prefers one would
// ask for it with a second round trip, and a check carries nothing that must stay secret for decades.
const GROUPS = 'X25519:prime256v1:secp384r1:secp521r1'

export function createTlsContexts(extraAuthorities: readonly string[]): TlsContexts {
  return {
    verified: once(() =>
      tls.createSecureContext({
        ecdhCurve: GROUPS,
        // Without `ca` Node shares its parsed store; with it, the list replaces that store.
        ...(extraAuthorities.length > 0 && { ca: [...tls.getCACertificates('default'), ...extraAuthorities] }),
      }),
    ),
    unverified: once(() =>
      tls.createSecureContext({
        ecdhCurve: GROUPS,
        ca: [],
        minVersion: 'TLSv1',
        ciphers: 'DEFAULT:@SECLEVEL=0',
        secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
      }),
    ),
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

export interface TlsOptions {
  /** The name the certificate must bear; an IP address is not sent as server name. */
  readonly host: string
  readonly contexts: TlsContexts
  readonly verify: boolean
  readonly alpn?: string[]
}

export interface TlsConnection {
  readonly socket: tls.TLSSocket
  readonly certificate?: PeerCertificate
  readonly tlsMs: number
}

/**
 * TLS over a connected socket: a full handshake each time. When it fails, or the certificate does, both sockets are
 * destroyed. Throws a TlsError or the signal's reason.
 */
export function connectTls(socket: Socket, options: TlsOptions, signal: AbortSignal): Promise<TlsConnection> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      socket.destroy()
      return reject(signal.reason)
    }
    const startedAt = performance.now()
    const host = withoutTrailingDots(options.host)
    const secured = tls.connect({
      socket,
      secureContext: options.verify ? options.contexts.verified() : options.contexts.unverified(),
      servername: isIP(host) === 0 ? host : '',
      ...(options.alpn && { ALPNProtocols: options.alpn }),
      // Node would destroy the socket before anyone could read why. `settle` below rejects in its place,
      rejectUnauthorized: false,
      // and judges the name as well.
      checkServerIdentity: () => undefined,
    })
    const restore = spareParsing(secured)
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', abort)
      secured.destroy()
      socket.destroy()
      reject(error)
    }
    const abort = () => fail(signal.reason)
    const settle = () => {
      restore()
      const presented = secured.getPeerX509Certificate()
      const certificate = presented && { fingerprint: presented.fingerprint256, expiresAt: expiryOf(presented) }
      const fault = options.verify ? distrust(secured, presented, host) : null
      if (fault !== null) return fail(new TlsError(fault, { certificate }))
      signal.removeEventListener('abort', abort)
      resolve({ socket: secured, tlsMs: performance.now() - startedAt, ...(certificate && { certificate }) })
    }
    secured.once('secureConnect', settle)
    secured.on('error', (cause) => fail(new TlsError(handshakeFault(cause), { cause })))
    signal.addEventListener('abort', abort)
  })
}

/**
 * NaN for a date that nobody can read. Only the text says so every time: of such a date Node makes its `validToDate`
 * from memory that was never written, now and then a moment in a far future.
 */
function expiryOf(certificate: X509Certificate): number {
  return certificate.validTo === 'Bad time value' ? Number.NaN : +certificate.validToDate
}

/**
 * Node turns the whole chain into objects for `checkServerIdentity`, a sixth of what a handshake costs, and we read
 * three fields of one certificate. Nothing but speed depends on Node asking the method that stands in here.
 */
function spareParsing(secured: tls.TLSSocket): () => void {
  const original = secured.getPeerCertificate
  secured.getPeerCertificate = () => ({}) as tls.DetailedPeerCertificate
  return () => {
    secured.getPeerCertificate = original
  }
}

function handshakeFault(cause: Error): string {
  const code = codeOf(cause)
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'The connection was closed during the TLS handshake'
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'The TLS handshake failed: the server does not speak TLS on this port'
  }
  const { reason } = cause as { reason?: string }
  return `The TLS handshake failed (${reason ?? code})`
}

/** Why a certificate is not to be trusted, or null. */
function distrust(secured: tls.TLSSocket, presented: X509Certificate | undefined, host: string): string | null {
  if (presented === undefined) return 'The server presented no certificate'
  if (!secured.authorized) return chainFault(String(secured.authorizationError), presented)
  const bearsName = isIP(host) === 0 ? presented.checkHost(host) : presented.checkIP(host)
  return bearsName === undefined ? `The certificate is not valid for ${host}${namesOf(presented)}` : null
}

/** By the code that OpenSSL gave. */
function chainFault(code: string, { validFromDate, validToDate }: X509Certificate): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      if (validToDate.getTime() > Date.now()) return 'A certificate in the chain has expired'
      return `The certificate expired on ${dateOf(validToDate)}`
    case 'CERT_NOT_YET_VALID':
      return `The certificate is not valid before ${dateOf(validFromDate)}`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'The certificate is self-signed'
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'The certificate was issued by an authority that is not trusted'
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'The certificate chain is incomplete, or its authority is not trusted'
    default:
      return `The certificate is not trusted (${code})`
  }
}

function namesOf({ subjectAltName = '' }: X509Certificate): string {
  const names = subjectAltName.replaceAll(/(DNS|IP Address):/g, '')
  if (names === '') return ''
  return names.length > 200 ? ` (it names ${names.slice(0, 200)}…)` : ` (it names ${names})`
}

function dateOf(at: Date): string {
  return Number.isNaN(at.getTime()) ? 'an unreadable date' : at.toISOString().slice(0, 10)
}
