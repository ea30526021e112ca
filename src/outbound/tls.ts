import { constants, createHash, type X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import tls from 'node:tls'
import { once } from '../lib/once.ts'
import { type Reason, reason } from '../reasons/reason.ts'
import { ConnectError, codeOf, type PeerCertificate, TlsError, type TlsPeer } from './errors.ts'
import { withoutTrailingDots } from './urls.ts'

/** Creating a context costs more than a handshake, so all connections of one kind share one, created on first use. */
export interface TlsContexts {
  readonly verified: () => tls.SecureContext
  /** For targets whose certificate is not verified: also accepts old protocol versions and weak keys. */
  readonly unverified: () => tls.SecureContext
  /** Those of a target with certificates of its own. Throws a TlsError if they cannot be used. */
  with(own: OwnCertificates): TlsContexts
}

/** PEM texts. */
interface OwnCertificates {
  /** Trusted instead of all other authorities. */
  readonly ca?: string | undefined
  /** Trusted besides the others. */
  readonly extraCa?: string | undefined
  /** What this side presents. */
  readonly client?: { readonly cert: string; readonly key: string } | undefined
}

const MAX_OWN_CONTEXTS = 200

// X25519 first: it is the cheapest, and nearly every server accepts it. No ML-KEM hybrids: a server that prefers one would
// ask for it with a second round trip, and a check sends nothing that must stay secret for decades.
const GROUPS = 'X25519:prime256v1:secp384r1:secp521r1'

export function createTlsContexts(extraAuthorities: readonly string[]): TlsContexts {
  const byContent = new Map<string, TlsContexts>()
  return {
    ...contextsOf(extraAuthorities),
    with(own) {
      const key = createHash('sha256').update(JSON.stringify(own)).digest('base64')
      const contexts: TlsContexts = byContent.get(key) ?? {
        ...ownContexts(extraAuthorities, own),
        with: () => contexts,
      }
      // Deleted first, so that the one that was not used for longest goes first.
      byContent.delete(key)
      byContent.set(key, contexts)
      if (byContent.size > MAX_OWN_CONTEXTS) byContent.delete(byContent.keys().next().value as string)
      return contexts
    },
  }
}

function ownContexts(extraAuthorities: readonly string[], own: OwnCertificates): Omit<TlsContexts, 'with'> {
  const { ca, extraCa, client } = own
  const contexts = contextsOf(extraCa === undefined ? extraAuthorities : [...extraAuthorities, extraCa], { ca, client })
  try {
    // Created now: a fault shows before anything is connected.
    contexts.verified()
    return contexts
  } catch (cause) {
    throw new TlsError(reason('client_certificate_unusable'), { cause })
  }
}

function contextsOf(
  extraAuthorities: readonly string[],
  { ca, client }: OwnCertificates = {},
): Omit<TlsContexts, 'with'> {
  // Without `ca` Node uses its own parsed store; a list replaces that store.
  const trusted =
    ca ?? (extraAuthorities.length > 0 ? [...tls.getCACertificates('default'), ...extraAuthorities] : undefined)
  return {
    verified: once(() => tls.createSecureContext({ ecdhCurve: GROUPS, ...(trusted && { ca: trusted }), ...client })),
    unverified: once(() =>
      tls.createSecureContext({
        ecdhCurve: GROUPS,
        ca: [],
        minVersion: 'TLSv1',
        ciphers: 'DEFAULT:@SECLEVEL=0',
        secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
        ...client,
      }),
    ),
  }
}

/** Servers send two or four. Reading one costs as much as a small response, and TLS 1.3 limits neither number nor time. */
const MAX_SESSION_TICKETS = 32

export interface TlsOptions {
  /** The name or address that the certificate must be valid for. An address is not sent as server name. */
  readonly host: string
  readonly contexts: TlsContexts
  readonly verify: boolean
  readonly alpn?: string[]
}

export interface TlsConnection {
  readonly socket: tls.TLSSocket
  readonly certificate?: PeerCertificate
  readonly peer?: TlsPeer
  readonly tlsMs: number
}

/**
 * Starts TLS on a connected socket, with a full handshake each time. Destroys both sockets when the handshake or the
 * verification fails. Throws a TlsError or the signal's reason.
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
      // Verified in `settle` below: Node would destroy the socket before the certificate could be read.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    })
    const restore = skipChainParsing(secured)
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
      const problem = options.verify ? certificateProblem(secured, presented, host) : null
      const peer = presented && { presented, protocol: secured.getProtocol() }
      if (problem !== null) return fail(new TlsError(problem, { certificate, peer }))
      signal.removeEventListener('abort', abort)
      resolve({
        socket: secured,
        tlsMs: performance.now() - startedAt,
        ...(certificate && { certificate }),
        ...(peer && { peer }),
      })
    }
    let tickets = 0
    secured.on('session', () => {
      tickets += 1
      if (tickets <= MAX_SESSION_TICKETS) return
      secured.destroy(new ConnectError('CONNECT', reason('tls_session_tickets', { count: MAX_SESSION_TICKETS })))
    })
    secured.once('secureConnect', settle)
    secured.on('error', (cause) => fail(new TlsError(handshakeReason(cause), { cause })))
    signal.addEventListener('abort', abort)
  })
}

/**
 * NaN for an unreadable date. Only `validTo` shows that reliably: for such a date Node reads `validToDate` from
 * uninitialised memory, which sometimes gives a date in the far future.
 */
function expiryOf(certificate: X509Certificate): number {
  return certificate.validTo === 'Bad time value' ? Number.NaN : +certificate.validToDate
}

/**
 * Keeps Node from converting the whole certificate chain into objects for `checkServerIdentity`, which costs a sixth of a
 * handshake. Only speed depends on Node calling the replaced method.
 */
function skipChainParsing(secured: tls.TLSSocket): () => void {
  const original = secured.getPeerCertificate
  secured.getPeerCertificate = () => ({}) as tls.DetailedPeerCertificate
  return () => {
    secured.getPeerCertificate = original
  }
}

function handshakeReason(cause: Error): Reason {
  const code = codeOf(cause)
  if (code === 'ECONNRESET' || code === 'EPIPE') return reason('tls_closed')
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return reason('tls_not_spoken')
  const { reason: error = code } = cause as { reason?: string }
  return reason('tls_failed', { error })
}

/** Why the certificate is not trusted, or null. */
function certificateProblem(
  secured: tls.TLSSocket,
  presented: X509Certificate | undefined,
  host: string,
): Reason | null {
  if (presented === undefined) return reason('certificate_missing')
  if (!secured.authorized) return chainProblem(String(secured.authorizationError), presented)
  const matchedName = isIP(host) === 0 ? presented.checkHost(host) : presented.checkIP(host)
  if (matchedName !== undefined) return null
  const names = namesOf(presented)
  return names === '' ? reason('certificate_other_name', { host }) : reason('certificate_other_names', { host, names })
}

/** For an error code of OpenSSL. */
function chainProblem(code: string, { validFromDate, validToDate }: X509Certificate): Reason {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      if (validToDate.getTime() > Date.now()) return reason('certificate_chain_expired')
      return isReadable(validToDate)
        ? reason('certificate_expired', { at: validToDate.toISOString() })
        : reason('certificate_expired_unreadable')
    case 'CERT_NOT_YET_VALID':
      return isReadable(validFromDate)
        ? reason('certificate_early', { at: validFromDate.toISOString() })
        : reason('certificate_early_unreadable')
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return reason('certificate_self_signed')
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return reason('certificate_authority')
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return reason('certificate_chain')
    default:
      return reason('certificate_untrusted', { error: code })
  }
}

function namesOf({ subjectAltName = '' }: X509Certificate): string {
  const names = subjectAltName.replaceAll(/(DNS|IP Address):/g, '')
  return names.length > 200 ? `${names.slice(0, 200)}…` : names
}

function isReadable(at: Date): boolean {
  return !Number.isNaN(at.getTime())
}
