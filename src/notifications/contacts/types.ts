/** Everything that a contact can be told. */
export const alertKinds = [
  'opened',
  'resolved',
  'degraded',
  'recovered',
  'certificate_expiring',
  'domain_expiring',
  'dns_changed',
  'endpoint_disabled',
] as const

export type AlertKind = (typeof alertKinds)[number]

/** A change that contacts are to be told of, in the transaction of the change itself. */
export interface NewAlert {
  readonly orgId: string
  readonly kind: AlertKind
  /** Null where no monitor is concerned; then every contact of the organization is. */
  readonly monitorNum: number | null
  readonly monitorId: string | null
  readonly incidentId: string | null
  /** The name of the monitor, or of what else it is about. */
  readonly subject: string
  /** The address or host that is watched. */
  readonly target: string | null
  /** The cause in words. */
  readonly reason: string | null
  readonly at: number
}

/** A change as one contact is told of it. */
export interface Alert {
  /** Names the change: whoever is told twice can tell by it. */
  readonly id: string
  readonly kind: AlertKind
  readonly monitorId: string | null
  readonly incidentId: string | null
  readonly subject: string
  readonly target: string | null
  readonly reason: string | null
  readonly at: number
  /** On the end of a trouble: when it began, if the contact was told. */
  readonly beganAt: number | null
  /** On the beginning of a trouble: when it ended, if it has. */
  readonly endedAt: number | null
  /** The message it was first sent with. */
  readonly messageId: string
}
