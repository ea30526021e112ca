import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { isLocalhost, withoutTrailingDots } from '../../outbound/urls.ts'

const TOKEN_BYTES = 16

/** A label that DNS names may contain. 128 random bits, so that nobody can prepare the record of a page to come. */
export function newDomainToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex')
}

export interface DnsRecord {
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA'
  readonly name: string
  readonly value: string
}

/** The record that proves the domain. It does not change where the domain leads. */
export function txtProof(domain: string, token: string): DnsRecord {
  return { type: 'TXT', name: `_pharos-verify.${domain}`, value: `pharos-page=${token}` }
}

/** A record that proves the domain and leads it here, where the names below the host have its addresses. */
export function cnameProof(domain: string, token: string, host: string): DnsRecord | null {
  return canBeAliased(host) ? { type: 'CNAME', name: domain, value: `${token}.${host}` } : null
}

/** The records that lead the domain here; none for an installation on localhost. */
export function addressRecords(domain: string, host: string): readonly DnsRecord[] {
  if (canBeAliased(host)) return [{ type: 'CNAME', name: domain, value: host }]
  return isIP(host) === 0 ? [] : [{ type: isIP(host) === 6 ? 'AAAA' : 'A', name: domain, value: host }]
}

function canBeAliased(host: string): boolean {
  return isIP(host) === 0 && !isLocalhost(host)
}

/** The records of a name, possibly none, or why they are not known. */
export type Lookup = { readonly records: readonly string[] } | { readonly error: string }

export type ProofFinding =
  | { readonly kind: 'proven' }
  /** DNS answered, and the proof is not there. */
  | { readonly kind: 'missing'; readonly found: readonly string[] }
  /** No definite answer, for example a timeout: it says nothing about the domain. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** Of what DNS returned, this much is stored and shown. */
const MAX_FOUND = 5
const MAX_FOUND_LENGTH = 200

/** Which proof to look for. */
export interface ProofQuestion {
  readonly domain: string
  readonly token: string
  /** The host of the installation. */
  readonly host: string
}

/** Judges the TXT records below the domain and its CNAME record. */
export function findingOf({ domain, token, host }: ProofQuestion, txt: Lookup, cname: Lookup): ProofFinding {
  const texts = 'records' in txt ? txt.records.map((text) => text.trim()) : []
  const aliases = 'records' in cname ? cname.records.map((name) => withoutTrailingDots(name).toLowerCase()) : []
  const alias = cnameProof(domain, token, host)?.value
  if (texts.includes(txtProof(domain, token).value)) return { kind: 'proven' }
  if (alias !== undefined && aliases.includes(alias)) return { kind: 'proven' }
  if ('error' in txt) return { kind: 'unknown', reason: txt.error }
  if ('error' in cname) return { kind: 'unknown', reason: cname.error }
  const found = [...texts.map((text) => `TXT ${text}`), ...aliases.map((name) => `CNAME ${name}`)]
  return { kind: 'missing', found: found.slice(0, MAX_FOUND).map((text) => text.slice(0, MAX_FOUND_LENGTH)) }
}
