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
] as const

export type AlertKind = (typeof alertKinds)[number]

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
  readonly at: number
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
  /** The notes of the monitor, if it has some. */
  readonly notes?: Notes
  /** Of a new incident: what had changed before it, in sentences. */
  readonly summary?: readonly string[]
}

/** An alert that is not sent yet. */
export interface PendingAlert extends Alert {
  readonly num: number
  readonly dueAt: number
  /** Attempts that failed. */
  readonly attempts: number
}
