import type { Generated } from 'kysely'
import type { AccountTables } from './schema-accounts.ts'
import type { AlertTable, ContactTable } from './schema-contacts.ts'
import type { FactorTables } from './schema-factors.ts'
import type { MaintenanceCoverageTable, MaintenanceRecheckTable, MaintenanceTable } from './schema-maintenance.ts'
import type {
  PublishedIncidentTable,
  PublishedMonitorTable,
  PublishedUpdateTable,
  StatusPageMonitorTable,
  StatusPageTable,
} from './schema-statuspages.ts'
import type { SubscriberNoticeTable, SubscriberRetryTable, SubscriberTable } from './schema-subscribers.ts'

/**
 * The tables, the same on both engines. Times are integer milliseconds, ids text, booleans 0 or 1. Every table of a
 * tenant leads its indexes with `org_id`, so that a sharded PostgreSQL could distribute by it.
 */
export interface Schema extends AccountTables, FactorTables {
  migrations: { id: number; name: string; applied_at: number }
  settings: { name: string; value: string }
  organizations: OrganizationTable
  api_keys: ApiKeyTable
  idempotency_records: IdempotencyTable
  roster_totals: { org_id: string; kind: RosterKind; live: number; issued: number }
  roster_blocks: { org_id: string; kind: RosterKind; block: number; live: number }
  monitors: MonitorTable
  monitor_states: MonitorStateTable
  incidents: IncidentTable
  rollup_hours: RollupTable
  rollup_days: RollupTable
  /** The tables that hold raw results, one for each day and time they are kept for. */
  result_parts: { name: string; day_at: number; keep_days: number; indexed_at: number | null }
  heartbeats: HeartbeatTable
  heartbeat_tokens: { token: string; org_id: string; monitor_id: string }
  events: EventTable
  webhook_endpoints: EndpointTable
  webhook_deliveries: DeliveryTable
  webhook_attempts: AttemptTable
  /** Endpoints that are gone and left deliveries behind, which nobody is shown and which are removed step by step. */
  webhook_remains: { org_id: string; endpoint_id: string }
  contacts: ContactTable
  /** Monitors that a contact does not follow its rule for: left out where it covers all, and the other way round. */
  contact_exceptions: { org_id: string; contact_id: string; monitor_num: number }
  alerts: AlertTable
  /** What is open at a service that keeps incidents of its own, by the notice that opened it. */
  alert_threads: { org_id: string; contact_id: string; notice: string; opened_at: number }
  maintenance_windows: MaintenanceTable
  maintenance_monitors: { org_id: string; window_id: string; num: number }
  /** A window may still name pages that are gone. */
  maintenance_pages: { org_id: string; window_id: string; page_id: string }
  maintenance_coverage: MaintenanceCoverageTable
  maintenance_rechecks: MaintenanceRecheckTable
  status_pages: StatusPageTable
  /** Unique on the installation, like the domains. */
  status_page_slugs: { slug: string; org_id: string; page_id: string }
  status_page_domains: { domain: string; org_id: string; page_id: string }
  status_page_monitors: StatusPageMonitorTable
  published_incidents: PublishedIncidentTable
  published_incident_updates: PublishedUpdateTable
  published_incident_pages: { org_id: string; published_id: string; page_id: string; place: number }
  published_incident_monitors: PublishedMonitorTable
  subscribers: SubscriberTable
  subscriber_notices: SubscriberNoticeTable
  subscriber_retries: SubscriberRetryTable
  /** How often somebody asked for something until when (see subscribers/limits.ts). */
  subscriber_windows: { subject: string; ends_at: number; used: number }
  /** Pages that are gone and left subscribers behind, who are removed step by step. */
  subscriber_remains: { org_id: string; page_id: string }
  /** Only on PostgreSQL: one process counts in memory. */
  rate_windows: { subject: string; started_at: number; used: number }
}

export type RosterKind =
  | 'monitor'
  | 'incident'
  | 'endpoint'
  | 'delivery'
  | 'maintenance'
  | 'statuspage'
  | 'publishedincident'

export interface OrganizationTable {
  id: string
  slug: string
  name: string
  plan: string
  subscription: 'active' | 'inactive'
  created_at: number
}

export interface ApiKeyTable {
  id: string
  org_id: string
  name: string
  /** SHA-256 of the key in hex; the key itself is stored nowhere. */
  hash: string
  /** The last four characters, so that people can tell their keys apart. */
  hint: string
  access: 'full' | 'read-only'
  expires_at: number | null
  disabled_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  created_at: number
}

export interface IdempotencyTable {
  org_id: string
  key: string
  /** A mark (see lib/seal.ts) of method, path and validated body. */
  fingerprint: string
  status: number
  /** The answer's headers and body, sealed: a creation may have shown a secret. */
  answer: string
  expires_at: number
}

/** What the user set. Wide, and written only when the user changes it. */
export interface MonitorTable {
  /** A small number for what is stored by the million. */
  num: Generated<number>
  org_id: string
  id: string
  /** The place in the organization's list, counted from 0 in order of creation. */
  seq: number
  name: string
  type: string
  /** The settings as members of the JSON object that a monitor leaves as (see monitors/render.ts). */
  shown: string
  /** Only of CRON monitors. */
  heartbeat_token: string | null
  created_at: number
  updated_at: number
}

/** What the checks found. Narrow, and written with every check. */
export interface MonitorStateTable {
  num: number
  org_id: string
  state: 'PENDING' | 'UP' | 'DEGRADED' | 'DOWN' | 'PAUSED'
  /**
   * Grows with every claim of a check, and with every change that makes a check under way meaningless: a result lands
   * only while it is what it was.
   */
  revision: number
  /** When the next check is due, or when the claim of the one under way ends; null while none is due (paused). */
  next_check_at: number | null
  /** The node whose check is under way. */
  claimed_by: string | null
  last_checked_at: number | null
  last_status_changed_at: number | null
  last_response_ms: number | null
  cert_expires_at: number | null
  /** The same as members of the JSON object that a monitor leaves as. */
  shown: string
  /** The incident that is open, if one is. */
  open_incident: string | null
  /** What the engine remembers from check to check (see checks/memory.ts), as JSON. */
  memory: string
  /** The latest results, a line each, newest first (see checks/recent.ts). */
  recent: string
  /** Grows when the settings change in more than the name, so that a node knows settings that it has parsed before. */
  edition: number
}

export interface IncidentTable {
  org_id: string
  id: string
  /** The place in the organization's list, counted from 0 in order of opening. */
  seq: number
  num: number
  started_at: number
  resolved_at: number | null
  cause: string
  cause_code: string
  acknowledged_at: number | null
  /** Who, as JSON: {type, name}. */
  acknowledged_by: string | null
  failed_checks: number
  first_failure: string
  last_failure: string
  /** What happened, as JSON: {at, type, message}[], oldest first. */
  timeline: string
}

/** One hour or day of a monitor: where its time went, and what its checks found. */
export interface RollupTable {
  org_id: string
  num: number
  start_at: number
  up_ms: number
  degraded_ms: number
  down_ms: number
  paused_ms: number
  maintenance_ms: number
  checks: number
  failures: number
  /** Response times as a sparse histogram, as JSON. */
  responses: string
}

/** Signals that came in on heartbeat addresses; the latest few of each monitor. */
export interface HeartbeatTable {
  id: Generated<number>
  org_id: string
  num: number
  at: number
  signal: string
  exit_code: number | null
  rid: string | null
  duration_ms: number | null
  body: string | null
}

/** What happened, as the bytes that every endpoint is sent. Written only where somebody is to be told. */
export interface EventTable {
  org_id: string
  id: string
  type: string
  created_at: number
  body: string
}

export interface EndpointTable {
  org_id: string
  id: string
  /** The place in the organization's list. */
  seq: number
  url: string
  description: string | null
  /** Names of event types, or "*", as JSON. */
  event_types: string
  enabled: number
  disabled_reason: 'GONE' | 'FAILING' | null
  /** Sealed (see lib/seal.ts). */
  secret: string
  previous_secret: string | null
  previous_secret_expires_at: number | null
  last_delivery_at: number | null
  /** When the first of a row of failures was, with no success since. */
  failing_since: number | null
  /**
   * When its next delivery is due, or when the claim on it ends; null while none is waiting. Whoever makes a delivery
   * due, or disables the endpoint while some are waiting, holds this row and calls `wake` (events/emit.ts).
   */
  due_at: number | null
  /** The node that is sending to it: one at a time, so that four requests at once are four, and in order. */
  claimed_by: string | null
  created_at: number
  updated_at: number
}

export interface DeliveryTable {
  org_id: string
  id: string
  /** The place in the organization's list. */
  seq: number
  endpoint_id: string
  event_id: string
  event_type: string
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  attempt_count: number
  /** Null once it is settled. */
  next_attempt_at: number | null
  /**
   * 1 while an attempt by hand is due: PENDING, next_attempt_at now, endpoint woken. The sender makes it before all
   * others, sets this back, and settles the delivery whatever comes of it.
   */
  manual: Generated<number>
  last_response_status: number | null
  created_at: number
  completed_at: number | null
}

export interface AttemptTable {
  org_id: string
  delivery_id: string
  /** Counted from 1. */
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
