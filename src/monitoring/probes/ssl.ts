import type { ProbeTarget } from '../../contract/probe.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { connectTcp } from '../../outbound/connect.ts'
import { type PeerCertificate, TlsError } from '../../outbound/errors.ts'
import { connectTls } from '../../outbound/tls.ts'
import { hostOf } from '../../outbound/urls.ts'
import {
  type Attempt,
  type Failure,
  failureOf,
  type NetworkTools,
  sampleOfError,
  startAttempt,
  successOf,
} from './attempt.ts'
import type { Probe } from './probe.ts'

export interface Endpoint {
  /** Lower case, in ASCII, without brackets. */
  readonly host: string
  readonly port: number
}

/** What the `url` of an SSL or DOMAIN monitor names: an address, a bare host name or host:port. Null if nothing. */
export function endpointOf(url: string | null): Endpoint | null {
  // Read as https whatever the scheme: only for schemes it knows does URL turn a name into lower case and punycode.
  const parsed = URL.parse(`https://${(url ?? '').replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')}`)
  if (parsed === null || parsed.port === '0') return null
  return { host: hostOf(parsed), port: parsed.port === '' ? 443 : Number(parsed.port) }
}

/** With its fraction: 2 days and an hour are more than 2 days. Negative when the time is over. */
export function daysLeft(expiresAt: number, now: number): number {
  return (expiresAt - now) / DAY_MS
}

/**
 * A certificate is good when it stands up to a full handshake; how many days it must have left is judged elsewhere.
 *
 * The server's own certificate gives the date, even where one of its issuers expires sooner. Issuers are made to
 * outlive what they sign; those sent along that do not are old cross-signatures, for which clients know another way to
 * a root that they trust, and warning about these would be a false alarm. Once an issuer is really missed, the
 * handshake itself fails and says so.
 */
export const probeSsl: Probe<NetworkTools> = async (target, tools, signal) => {
  using visit = startAttempt(target.timeoutMs, signal)
  const endpoint = endpointOf(target.url)
  if (endpoint === null) {
    return failureOf(visit, { code: 'CONNECT', kind: 'content', error: 'The monitor has no valid address' })
  }
  try {
    const failure = judge(await shakeHands(endpoint, target, tools, visit), target)
    return failure === null ? successOf(visit) : failureOf(visit, failure)
  } catch (error) {
    // With a certificate at hand the handshake itself went well, and it is the certificate that is at fault.
    if (!(error instanceof TlsError) || error.certificate === undefined) return sampleOfError(visit, error)
    remember(visit, error.certificate)
    return failureOf(visit, { code: 'CERTIFICATE', kind: 'content', error: error.message })
  }
}

async function shakeHands(
  { host, port }: Endpoint,
  { verifySsl }: ProbeTarget,
  { guard }: NetworkTools,
  visit: Attempt,
) {
  visit.host = host
  const { addresses, dnsMs } = await guard.resolve(host, visit.signal)
  visit.observed.timings = dnsMs === undefined ? {} : { dnsMs: Math.round(dnsMs) }
  visit.stage = 'connect'
  const { socket, address, connectMs } = await connectTcp(addresses, port, visit.signal)
  visit.observed.timings.connectMs = Math.round(connectMs)
  visit.observed.ip = address
  visit.stage = 'tls'
  // No ALPN: whatever protocol is spoken behind the certificate, it is not asked for.
  const secured = await connectTls(socket, { host, contexts: guard.tlsContexts, verify: verifySsl }, visit.signal)
  secured.socket.destroy()
  visit.observed.timings.tlsMs = Math.round(secured.tlsMs)
  if (secured.certificate) remember(visit, secured.certificate)
  return secured.certificate
}

/** Keeps what can be stored: a date that cannot be read is no number. */
function remember(visit: Attempt, certificate: PeerCertificate): void {
  if (Number.isFinite(certificate.expiresAt)) visit.observed.certificate = certificate
}

/** For monitors that verify nothing, expiry is looked at all the same; by the system's clock, as OpenSSL does it. */
function judge(certificate: PeerCertificate | undefined, { verifySsl }: ProbeTarget): Failure | null {
  if (certificate === undefined) {
    return { code: 'TLS', kind: 'connection', error: 'The server presented no certificate' }
  }
  if (verifySsl) return null
  const { expiresAt } = certificate
  if (!Number.isFinite(expiresAt)) {
    return { code: 'CERTIFICATE', kind: 'content', error: 'The expiry date of the certificate is not readable' }
  }
  if (expiresAt > Date.now()) return null
  const day = new Date(expiresAt).toISOString().slice(0, 10)
  return { code: 'CERTIFICATE', kind: 'content', error: `The certificate expired on ${day}` }
}
