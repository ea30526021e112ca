import type { PeerCertificate } from '../outbound/errors.ts'
import type { Reason } from '../reasons/reason.ts'
import type { ProbeOptions } from './check-options.ts'

/** What every probe needs of a monitor's settings. The probes of some types need more: `targetOf` in checks/check-config.ts. */
export interface ProbeTarget extends ProbeOptions {
  readonly url: string | null
  readonly host: string | null
  readonly port: number | null
  readonly timeoutMs: number
  /** The key of the stored details. The probe returns details only if their key differs. */
  readonly knownDetails?: string | undefined
  /** The key of the last good response, with `*` for parts that are not compared (monitoring/evidence/page.ts). */
  readonly knownPage?: string | undefined
  /** Somebody waits for the result: it comes within the timeout and 10 s, and a registration is looked up again. */
  readonly isManual?: boolean
  /** Somebody tries out settings: the sample has the result of each assertion, and the body if it was read. */
  readonly isTrial?: boolean
}

/** Why a check failed; the incident carries it as its `causeCode`. */
export const failureCodes = [
  'TIMEOUT',
  'DNS',
  'CONNECT',
  'TLS',
  'STATUS',
  'KEYWORD',
  'DNS_MISMATCH',
  'HEARTBEAT_MISSED',
  'HEARTBEAT_FAILED',
  'CERTIFICATE',
  'DOMAIN',
] as const
export type FailureCode = (typeof failureCodes)[number]

/** Milliseconds spent in each phase of the last hop; a phase that did not happen is absent. */
export interface Timings {
  dnsMs?: number
  connectMs?: number
  tlsMs?: number
  firstByteMs?: number
  downloadMs?: number
}

/** A try that failed. A check repeats it before it reports a failure. */
export interface FailedTry {
  /** How long before the end of the check it began. */
  readonly agoMs: number
  readonly code: FailureCode
  readonly error: Reason
}

/** A certificate as the monitor page shows it. Texts and lists are bounded. */
export interface CertificateDetails {
  readonly kind: 'certificate'
  readonly subject: string
  readonly issuer: string
  /** DNS names and addresses that it is valid for; at most 100. */
  readonly names: readonly string[]
  readonly nameCount: number
  readonly serial: string
  readonly fingerprint: string
  /** Null if a date is unreadable. */
  readonly validFrom: number | null
  readonly validTo: number | null
  /** Such as "TLSv1.3". */
  readonly protocol: string | null
  /** The certificates that the server sent after its own. */
  readonly chain: readonly { readonly subject: string; readonly issuer: string; readonly validTo: number | null }[]
}

/** What a registry says about a domain; null where it does not publish it. */
export interface DomainDetails {
  readonly kind: 'domain'
  readonly name: string
  readonly registrar: string | null
  readonly registeredAt: number | null
  readonly expiresAt: number | null
  readonly nameServers: readonly string[]
  readonly source: 'RDAP' | 'WHOIS'
  readonly lookedUpAt: number
}

/** What a probe found besides its result. */
export interface FoundDetails {
  /** Tells these details from those that are stored. */
  readonly key: string
  readonly found: CertificateDetails | DomainDetails
}

/** Whether an assertion holds for what a probe found. */
export interface AssertionResult {
  readonly holds: boolean
  /** The found values as a short text; null if there are none. */
  readonly found: Reason | null
  /** Why it does not hold: `$.db.status is "degraded", expected "ok"`. */
  readonly error?: Reason
}

/** What a response looks like, as short texts by field (monitoring/evidence/fields.ts). */
interface PageFacts {
  /** Tells this response from the one of the last good check. */
  readonly key: string
  readonly fields: Readonly<Record<string, string>>
}

export interface Observed {
  /** Absent if it is as known. */
  page?: PageFacts
  /** Absent if the first try succeeded. */
  tries?: readonly FailedTry[]
  /** Wall-clock time of the whole probe, redirects included, unless a probe says otherwise. */
  responseMs?: number
  timings?: Timings
  certificate?: PeerCertificate
  /** The address that the probe connected to. */
  ip?: string
  /** An address that did not accept a connection, of IPv4 if both families were tried. */
  triedIp?: string
  statusCode?: number
  /** Absent if they are known already. */
  details?: FoundDetails
  /** What a DNS monitor found. */
  records?: readonly string[]
  /** Why the monitor is DEGRADED although the check succeeded. */
  degraded?: Reason
  /** Only of a trial: the results of the assertions, in their order. */
  assertions?: readonly AssertionResult[]
  /** Only of a trial with assertions: the start of the body. */
  body?: string
}

/** The result of one probe. */
export type Sample =
  | ({ readonly outcome: 'success' } & Observed)
  | ({
      readonly outcome: 'failure'
      readonly code: FailureCode
      readonly error: Reason
      /** Decides how often the attempt is repeated: see probes/retry.ts. */
      readonly kind: 'connection' | 'content'
      /** The start of the response body, at most 2048 characters. */
      readonly excerpt?: string
    } & Observed)
  /** A local problem (out of sockets, no permission, stalled event loop): says nothing about the target. */
  | {
      readonly outcome: 'inconclusive'
      readonly reason: Reason
      /** This node's own network is probably down. */
      readonly isCutOff?: true
    }

/** Probes a target once by its monitor type. A failed attempt is repeated before it is reported. */
export type RunProbe = (type: string, target: ProbeTarget, signal: AbortSignal) => Promise<Sample>
