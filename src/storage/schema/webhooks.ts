import type { Generated } from 'kysely'

export interface WebhookTables {
  events: EventTable
  webhook_endpoints: EndpointTable
  webhook_deliveries: DeliveryTable
  webhook_attempts: AttemptTable
  /** Deleted endpoints whose deliveries still have to be removed, in batches. */
  webhook_tombstones: { org_id: string; endpoint_id: string }
}

/** An event as the exact bytes that are sent to endpoints (see events/heartbeat-token.ts). Written only if an endpoint subscribes to it. */
interface EventTable {
  org_id: string
  id: string
  type: string
  created_at: number
  body: string
  /** The heartbeat token that is masked in the body, sealed. */
  heartbeat_token: string | null
}

export interface EndpointTable {
  org_id: string
  id: string
  /** Position in the organization's list. */
  seq: number
  /** Sealed (see lib/seal.ts). */
  url: string
  description: string | null
  /** JSON array of event types, or of "*". */
  event_types: string
  enabled: number
  disabled_reason: 'GONE' | 'FAILING' | null
  /** Sealed (see lib/seal.ts). */
  secret: string
  previous_secret: string | null
  previous_secret_expires_at: number | null
  /** JSON: {secret, expiresAt}[], newest first: sealed secrets before the previous one that still sign. */
  older_secrets: string
  last_delivery_at: number | null
  /** Time of the first failure since the last success. */
  failing_since: number | null
  /** Of the last failed attempt. Meaningful only while `failing_since` is set. */
  last_error: string | null
  last_error_status: number | null
  /**
   * When its next delivery is due. During a claim: when the claim expires. Null if no delivery is pending. A transaction
   * that adds a due delivery, or disables an endpoint with pending ones, locks this row and calls `makeEndpointsDue`
   * (events/emit.ts).
   */
  due_at: number | null
  /** The node that is sending to it. One node at a time keeps deliveries in order and at most four concurrent. */
  claimed_by: string | null
  created_at: number
  updated_at: number
}

export interface DeliveryTable {
  org_id: string
  id: string
  /** Position in the organization's list. */
  seq: number
  endpoint_id: string
  event_id: string
  event_type: string
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  attempt_count: number
  /** Null once the delivery has succeeded or failed. */
  next_attempt_at: number | null
  /**
   * 1 while a manual attempt is due (PENDING, next_attempt_at now, endpoint due). The sender attempts it before all
   * others and resets this to 0. If the attempt fails, the delivery waits for `planned_at`, or has failed without one.
   */
  manual: Generated<number>
  /** When the scheduled attempt is due that the manual one came before. */
  planned_at: number | null
  /** Manual attempts among `attempt_count`. They use up no scheduled one. */
  manual_count: Generated<number>
  /** The node whose attempt is on the wire, while it is also in `claimed_by` of the endpoint. */
  sending_by: string | null
  last_response_status: number | null
  created_at: number
  completed_at: number | null
}

export interface AttemptTable {
  org_id: string
  delivery_id: string
  /** From 1. */
  number: number
  id: string
  trigger_kind: 'SCHEDULED' | 'MANUAL'
  started_at: number
  duration_ms: number
  outcome: 'SUCCEEDED' | 'FAILED'
  response_status: number | null
  response_body: string | null
  error: string | null
}
