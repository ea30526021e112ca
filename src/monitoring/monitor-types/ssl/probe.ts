import type { ProbeTarget } from '../../../contract/probe.ts'
import { parseHostAndPort } from '../../../lib/host.ts'
import { isoTimestamp } from '../../../lib/timestamp.ts'
import { type PeerCertificate, TlsError } from '../../../outbound/errors.ts'
import { connectTls } from '../../../outbound/tls.ts'
import { reason } from '../../../reasons/reason.ts'
import { guardFor } from '../apply-request-options.ts'
import { applyAssertions } from '../assertions/apply.ts'
import { type Attempt, connect, type Failure, makeAttempt, observeCertificate } from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'
import type { HttpTarget } from '../http/request.ts'

export type SslTarget = ProbeTarget & Pick<HttpTarget, 'verifySsl'>

/**
 * A certificate is good when a full handshake succeeds; the judge decides about the days left.
 *
 * The expiry date is that of the server's own certificate, even when an issuer in the chain expires sooner. Such issuers are
 * usually old cross-signatures, for which clients know another path to a trusted root, so warning about them would be a
 * false alarm. When an issuer is really missing, the handshake fails.
 */
export const probeSsl: Probe<NetworkTools, SslTarget> = (target, tools, signal) =>
  makeAttempt(target, signal, async (attempt) => {
    const { host, port = 443 } = parseHostAndPort(target.url ?? '') ?? {}
    if (host === undefined || port === 0) {
      return { code: 'CONNECT', kind: 'content', error: reason('no_url') }
    }
    try {
      const certificate = await handshake(host, port, target, tools, attempt)
      return judge(certificate, target) ?? (await applyAssertions(target.assertions, attempt, {}))
    } catch (error) {
      // With a certificate the handshake itself succeeded, and its verification failed.
      if (!(error instanceof TlsError) || error.certificate === undefined) throw error
      observeCertificate(attempt, error.certificate, error.peer)
      return { code: 'CERTIFICATE', kind: 'content', error: error.reason }
    }
  })

async function handshake(host: string, port: number, target: SslTarget, { guard }: NetworkTools, attempt: Attempt) {
  const { socket, timings } = await connect(attempt, host, port, guardFor(guard, target.request))
  attempt.stage = 'tls'
  // No ALPN: the probe does not use the protocol behind TLS.
  const name = target.request?.serverName ?? host
  const options = { host: name, contexts: guard.tlsContexts, verify: target.verifySsl }
  const secured = await connectTls(socket, options, attempt.signal)
  secured.socket.destroy()
  timings.tlsMs = Math.round(secured.tlsMs)
  observeCertificate(attempt, secured.certificate, secured.peer)
  return secured.certificate
}

/** Checks the expiry for monitors that do not verify; by the system's clock, as OpenSSL does. */
function judge(certificate: PeerCertificate | undefined, { verifySsl }: SslTarget): Failure | null {
  if (certificate === undefined) {
    return { code: 'TLS', kind: 'connection', error: reason('certificate_missing') }
  }
  if (verifySsl) return null
  const { expiresAt } = certificate
  if (!Number.isFinite(expiresAt)) {
    return { code: 'CERTIFICATE', kind: 'content', error: reason('certificate_date_unreadable') }
  }
  if (expiresAt > Date.now()) return null
  const error = reason('certificate_expired', { at: isoTimestamp(expiresAt) })
  return { code: 'CERTIFICATE', kind: 'content', error }
}
