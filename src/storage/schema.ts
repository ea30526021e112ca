import type { Generated } from 'kysely'

/**
 * The tables, the same on both engines. Times are integer milliseconds, ids text, booleans 0 or 1. Every table of a
 * tenant leads its indexes with `org_id`, so that a sharded PostgreSQL could distribute by it.
 */
export interface Schema {
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
  /** Only on PostgreSQL: one process counts in memory. */
  rate_windows: { subject: string; started_at: number; used: number }
}

export type RosterKind = 'monitor' | 'incident'

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
  /** SHA-256 over method, path and validated body. */
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
