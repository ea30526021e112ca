import type { CertificateDetails, DomainDetails, FoundDetails } from '../../contract/probe.ts'

/** A change of a name's DNS records. Values and lists are bounded. */
export interface DnsChange {
  readonly at: number
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export interface DnsDetails {
  readonly kind: 'dns'
  /** Of the last check that found records. */
  readonly records: readonly string[]
  /** The records before those, while a single check has seen the new ones. */
  readonly before: readonly string[] | null
  /** The newest first. */
  readonly changes: readonly DnsChange[]
}

/** What is stored of the last checks besides their results, as JSON. */
export type StoredDetails = CertificateDetails | DomainDetails | DnsDetails

/** What a check found that differs from what is stored. */
export type DetailsChange = ({ readonly kind: 'found' } & FoundDetails) | RecordsChange

export interface RecordsChange {
  readonly kind: 'records'
  readonly key: string
  readonly records: readonly string[]
  /** `candidate`: seen once, may be one of several sets that rotate · `changed`: goes into the history. */
  readonly verdict: 'same' | 'candidate' | 'changed'
}
