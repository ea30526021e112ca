import type { ProbeTarget } from '../../../contract/probe.ts'
import { utcDateText } from '../../../lib/timestamp.ts'
import { type PeerCertificate, TlsError, type TlsPeer } from '../../../outbound/errors.ts'
import { connectTls } from '../../../outbound/tls.ts'
import { hostOf } from '../../../outbound/urls.ts'
import { guardFor } from '../apply-request-options.ts'
import { applyAssertions } from '../assertions/apply.ts'
import {
  type Attempt,
  connect,
  type Failure,
  failureOf,
  observeCertificate,
  sampleOfError,
  startAttempt,
  successOf,
} from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'
import type { HttpTarget } from '../http/request.ts'

export type SslTarget = ProbeTarget & Pick<HttpTarget, 'verifySsl'>

export interface Endpoint {
  /** Lower case, in ASCII, without brackets. */
  readonly host: string
  readonly port: number
}

/** Parses the `url` of an SSL or DOMAIN monitor: a URL, a host name or host:port. Null when it is none of these. */
export function endpointOf(url: string | null): Endpoint | null {
  // Parsed as https whatever the scheme: URL converts names to lower case and punycode only for schemes that it knows.
  const parsed = URL.parse(`https://${(url ?? '').replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')}`)
  if (parsed === null || parsed.port === '0') return null
  return { host: hostOf(parsed), port: parsed.port === '' ? 443 : Number(parsed.port) }
}

/**
 * A certificate is good when a full handshake succeeds; the judge decides about the days left.
 *
 * The expiry date is that of the server's own certificate, even when an issuer in the chain expires sooner. Such issuers are
 * usually old cross-signatures, for which clients know another path to a trusted root, so warning about them would be a
 * false alarm. When an issuer is really missing, the handshake fails.
 */
export const probeSsl: Probe<NetworkTools, SslTarget> = async (target, tools, signal) => {
  const attempt = startAttempt(target, signal)
  try {
    const endpoint = endpointOf(target.url)
    if (endpoint === null) {
      return failureOf(attempt, { code: 'CONNECT', kind: 'content', error: 'The monitor has no valid URL' })
    }
    const failure =
      judge(await handshake(endpoint, target, tools, attempt), target) ??
      (await applyAssertions(target.assertions, attempt, {}))
    return failure === null ? successOf(attempt) : failureOf(attempt, failure)
  } catch (error) {
    // With a certificate the handshake itself succeeded, and its verification failed.
    if (!(error instanceof TlsError) || error.certificate === undefined) return sampleOfError(attempt, error)
    observe(attempt, error.certificate, error.peer)
    return failureOf(attempt, { code: 'CERTIFICATE', kind: 'content', error: error.message })
  } finally {
    attempt.end()
  }
}

async function handshake({ host, port }: Endpoint, target: SslTarget, { guard }: NetworkTools, attempt: Attempt) {
  const { socket, timings } = await connect(attempt, host, port, guardFor(guard, target.request))
  attempt.stage = 'tls'
  // No ALPN: the probe does not use the protocol behind TLS.
  const name = target.request?.serverName ?? host
  const options = { host: name, contexts: guard.tlsContexts, verify: target.verifySsl }
  const secured = await connectTls(socket, options, attempt.signal)
  secured.socket.destroy()
  timings.tlsMs = Math.round(secured.tlsMs)
  if (secured.certificate) observe(attempt, secured.certificate, secured.peer)
  return secured.certificate
}

/** An unreadable expiry date (NaN) cannot be stored. */
function observe(attempt: Attempt, certificate: PeerCertificate, peer: TlsPeer | undefined): void {
  if (Number.isFinite(certificate.expiresAt)) observeCertificate(attempt, certificate, peer)
}

/** Checks the expiry for monitors that do not verify; by the system's clock, as OpenSSL does. */
function judge(certificate: PeerCertificate | undefined, { verifySsl }: SslTarget): Failure | null {
  if (certificate === undefined) {
    return { code: 'TLS', kind: 'connection', error: 'The server presented no certificate' }
  }
  if (verifySsl) return null
  const { expiresAt } = certificate
  if (!Number.isFinite(expiresAt)) {
    return { code: 'CERTIFICATE', kind: 'content', error: 'The certificate has an unreadable expiry date' }
  }
  if (expiresAt > Date.now()) return null
  return { code: 'CERTIFICATE', kind: 'content', error: `The certificate expired on ${utcDateText(expiresAt)}` }
}
