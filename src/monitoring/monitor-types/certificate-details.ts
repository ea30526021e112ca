import type { X509Certificate } from 'node:crypto'
import type { CertificateDetails } from '../../contract/probe.ts'
import { DAY_MS } from '../../lib/clock.ts'
import type { TlsPeer } from '../../outbound/errors.ts'
import { boundedText } from './bounded-text.ts'

const MAX_NAMES = 100
const MAX_CHAIN = 6

/**
 * Changes with the certificate and the protocol, and once a day, because a server can change its chain alone. The time of
 * day depends on the certificate, so that not all monitors write at midnight.
 */
export function certificateKey(fingerprint: string, protocol: string | null, now: number): string {
  const hex = fingerprint.replaceAll(':', '')
  const shiftMs = (Number.parseInt(hex.slice(0, 4), 16) / 0x1_00_00) * DAY_MS
  return `${hex.slice(0, 24)} ${protocol ?? ''} ${Math.floor((now + shiftMs) / DAY_MS)}`
}

/** Costs more than the rest of a check apart from the handshake: call it only for what is not stored yet. */
export function certificateDetails({ presented, protocol }: TlsPeer): CertificateDetails {
  const names = namesIn(presented.subjectAltName ?? '')
  return {
    kind: 'certificate',
    subject: nameIn(presented.subject),
    issuer: nameIn(presented.issuer),
    names: names.slice(0, MAX_NAMES),
    nameCount: names.length,
    serial: boundedText(presented.serialNumber),
    fingerprint: presented.fingerprint256,
    validFrom: timeOf(presented.validFrom, presented.validFromDate),
    validTo: timeOf(presented.validTo, presented.validToDate),
    protocol,
    chain: chainOf(presented),
  }
}

function chainOf(leaf: X509Certificate): CertificateDetails['chain'] {
  const chain: { subject: string; issuer: string; validTo: number | null }[] = []
  let next = leaf.issuerCertificate
  while (next !== undefined && chain.length < MAX_CHAIN) {
    chain.push({
      subject: nameIn(next.subject),
      issuer: nameIn(next.issuer),
      validTo: timeOf(next.validTo, next.validToDate),
    })
    if (next.issuerCertificate?.fingerprint256 === next.fingerprint256) break
    next = next.issuerCertificate
  }
  return chain
}

/** For an unreadable date Node reads the Date from uninitialised memory; only the text shows it. */
function timeOf(text: string, date: Date): number | null {
  return text === 'Bad time value' || Number.isNaN(+date) ? null : +date
}

/** "R11 (Let's Encrypt)": the common name and the organization of a distinguished name, whose parts are on lines. */
function nameIn(distinguished: string | undefined): string {
  const parts = new Map(
    (distinguished ?? '').split('\n').map((line) => [line.split('=', 1)[0], line.split('=').slice(1).join('=')]),
  )
  const [common, organization] = [parts.get('CN'), parts.get('O')]
  const name = common && organization ? `${common} (${organization})` : (common ?? organization ?? distinguished ?? '')
  return boundedText(name)
}

/** Node puts unusual names into quotes: `DNS:shop.test, DNS:"a, b", IP Address:192.0.2.1`. */
const ALTERNATIVE = /(?:DNS|IP Address):(?:"((?:[^"\\]|\\.)*)"|([^,]*))/g

function namesIn(alternatives: string): string[] {
  return [...alternatives.matchAll(ALTERNATIVE)].map(([, quoted, plain]) => boundedText(quoted ?? plain ?? ''))
}
