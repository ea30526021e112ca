import type { Notes } from '../../contract/check-options.ts'
import type { Reason } from '../../reasons/reason.ts'

export const alertKinds = [
  'opened',
  'resolved',
  'degraded',
  'recovered',
  'certificate_expiring',
  'domain_expiring',
  'dns_changed',
  'endpoint_disabled',
  'network_down',
  'acknowledged',
] as const

export type AlertKind = (typeof alertKinds)[number]

/** What a message says besides the reason. */
export interface AlertFacts {
  /** Of an outage: how many tries failed before it was reported. */
  readonly tries?: number
  /** Of an outage: the address that the target resolved to. */
  readonly ip?: string
  readonly acknowledgedBy?: string
}

/** A change to alert contacts of. */
export interface NewAlert {
  readonly orgId: string
  readonly kind: AlertKind
  /** Null if the change is not about a monitor; then it concerns every contact of the organization. */
  readonly monitorNum: number | null
  readonly monitorId: string | null
  readonly incidentId: string | null
  /** The name of the monitor, or the URL of the webhook endpoint. */
  readonly subject: string
  /** The monitored URL or host, or the id of the webhook endpoint. */
  readonly target: string | null
  readonly reason: Reason | null
  readonly facts?: AlertFacts
  readonly at: number
  /** The address of the user who made the change, who needs no message about it (see users/normalize.ts). */
  readonly exceptAddress?: string | null
}

/** A change as sent to one contact. */
export interface Alert {
  /** Identifies the change; receivers can use it to ignore duplicates. */
  readonly id: string
  readonly kind: AlertKind
  readonly monitorId: string | null
  readonly incidentId: string | null
  readonly subject: string
  readonly target: string | null
  readonly reason: Reason | null
  readonly at: number
  /** If this ends a problem: when the problem began, if the contact was alerted of that. */
  readonly beganAt: number | null
  /** If this starts a problem: when the problem ended, if it has. */
  readonly endedAt: number | null
  /** The message that it was first sent with. */
  readonly messageId: string
  readonly facts?: AlertFacts
  /** The notes of the monitor, if it has some. */
  readonly notes?: Notes
  /** Of a new incident: what had changed before it. */
  readonly summary?: readonly Reason[]
  /** Read when the message is made, because it may have changed since the alert. */
  readonly found?: FoundFacts
}

/** What is known of the incident and the monitor of an alert when its message is made. */
export interface FoundFacts {
  /** When the incident began: with the first failed try, not with the report of it. */
  readonly startedAt?: number
  /** Of an outage that has ended: its last failure. */
  readonly lastReason?: Reason
  /** Since midnight, 0 to 1. */
  readonly uptimeToday?: number
  readonly certificate?: { readonly issuer: string; readonly names: readonly string[]; readonly nameCount: number }
  readonly registrar?: string
}

/** An alert that is not sent yet. */
export interface PendingAlert extends Alert {
  readonly num: number
  readonly dueAt: number
  /** Attempts that failed. */
  readonly attempts: number
}
