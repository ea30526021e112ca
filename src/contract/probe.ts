import type { DnsRecordType } from '../outbound/dns-client.ts'

/** The validated settings of a monitor that a probe needs. */
export interface ProbeTarget {
  readonly url: string | null
  readonly host: string | null
  readonly port: number | null
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly expectedStatus: readonly number[]
  readonly requestHeaders: Readonly<Record<string, string>> | null
  readonly requestBody: string | null
  readonly followRedirects: boolean
  readonly verifySsl: boolean
  readonly keyword: string | null
  readonly keywordMatch: 'EXISTS' | 'NOT_EXISTS'
  readonly dnsRecordType: DnsRecordType
  readonly dnsExpected: string | null
  readonly sslExpiryThresholdDays: number
  readonly timeoutMs: number
}

/** Why a check failed; the incident carries it as its `causeCode`. */
export type FailureCode =
  | 'TIMEOUT'
  | 'DNS'
  | 'CONNECT'
  | 'TLS'
  | 'STATUS'
  | 'KEYWORD'
  | 'DNS_MISMATCH'
  | 'HEARTBEAT_MISSED'
  | 'HEARTBEAT_FAILED'
  | 'CERTIFICATE'
  | 'DOMAIN'

/** Milliseconds spent in each phase of the last hop; a phase that did not happen is absent. */
export interface Timings {
  dnsMs?: number
  connectMs?: number
  tlsMs?: number
  firstByteMs?: number
}

export interface Certificate {
  /** SHA-256 fingerprint: tells one certificate from its successor. */
  readonly fingerprint: string
  readonly expiresAt: number
}

interface Observed {
  /** Wall-clock time of the whole probe, redirects included. */
  responseMs?: number
  timings?: Timings
  certificate?: Certificate
  /** The address that the probe connected to. */
  ip?: string
  statusCode?: number
}

/** The result of one probe. */
export type Sample =
  | ({ readonly outcome: 'success'; readonly records?: readonly string[] } & Observed)
  | ({
      readonly outcome: 'failure'
      readonly code: FailureCode
      /** One sentence for people: "HTTP 503 Service Unavailable (expected 200)". */
      readonly error: string
      /** Decides how often the attempt is repeated: see nextRetry in probes/retry.ts. */
      readonly kind: 'connection' | 'content'
      /** The start of the response body, at most 2048 characters. */
      readonly excerpt?: string
    } & Observed)
  /** A local problem (out of sockets, no permission, stalled event loop): says nothing about the target. */
  | { readonly outcome: 'inconclusive'; readonly reason: string }

/** Probes a target once by its monitor type. A failed attempt is repeated before it is reported. */
export type RunProbe = (type: string, target: ProbeTarget, signal: AbortSignal) => Promise<Sample>
