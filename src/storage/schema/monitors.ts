import type { Generated } from 'kysely'

export interface MonitorTables {
  monitor_mutes: MonitorMuteTable
  monitors: MonitorTable
  monitor_states: MonitorStateTable
  incidents: IncidentTable
  incident_notes: IncidentNoteTable
  rollup_hours: RollupTable
  rollup_days: RollupTable
  result_blocks: ResultBlockTable
  check_reasons: CheckReasonTable
  result_tombstones: { num: number }
  heartbeats: HeartbeatTable
  monitor_details: MonitorDetailsTable
  monitor_evidence: MonitorEvidenceTable
  incident_evidence: IncidentEvidenceTable
}

/** Results of a part of a day (monitoring/monitor-states/result-log.ts), with the number of each state. */
export interface ResultBlockTable {
  num: number
  first_at: number
  expires_at: number
  up: number
  degraded: number
  down: number
  inconclusive: number
  results: string
}

/** What the good checks of a monitor found. */
interface MonitorEvidenceTable {
  num: number
  org_id: string
  /** JSON: MonitorEvidence in monitoring/evidence/history.ts. */
  evidence: string
}

interface IncidentEvidenceTable {
  org_id: string
  incident_id: string
  /** JSON: IncidentEvidence in monitoring/evidence/summarize.ts. */
  evidence: string
}

export interface CheckReasonTable {
  num: number
  at: number
  code: string | null
  error: string | null
  /** JSON: CheckEvidence in monitoring/check-results/reasons.ts. */
  evidence: string | null
  /** 1: UP after a failed try. */
  repaired: number
  expires_at: number
}

/** Settings chosen by the user. A wide row, written only when they change. */
interface MonitorTable {
  /** Small integer key for tables with many rows per monitor. */
  num: Generated<number>
  org_id: string
  id: string
  /** Position in the organization's list, from 0 in order of creation. */
  seq: number
  name: string
  /** The name and the target without case (monitoring/monitor-settings/stored.ts). */
  name_key: string
  target_key: string | null
  type: string
  interval_seconds: number
  expected_period_seconds: number | null
  grace_seconds: number
  /** The other settings as JSON, with masked secrets (monitoring/monitor-settings/stored.ts). */
  settings: string
  /** The options as JSON, with masked secrets (contract/check-options.ts). Null if there are none. */
  options: string | null
  /** The real values of the settings and options that are masked, as sealed JSON. */
  secrets: string | null
  /** SHA-256 of the token in the heartbeat URL, and the token itself, sealed. Only for CRON monitors. */
  heartbeat_hash: string | null
  heartbeat_token: string | null
  /** By which a signal on the address of another tool finds the monitor (monitor-options/legacy-address.ts). */
  legacy_hash: string | null
  created_at: number
  updated_at: number
}

/** Result of the checks so far. A narrow row, written by every check. */
interface MonitorStateTable {
  num: number
  org_id: string
  state: 'PENDING' | 'UP' | 'DEGRADED' | 'DOWN' | 'PAUSED'
  /**
   * Incremented by every result, and by every change that invalidates a running check: a result is saved only if the
   * revision is still the one that the check began with.
   */
  revision: number
  /** When the next check is due. Null while paused. */
  next_check_at: number | null
  /** The node that checks the monitor (checks/assignments.ts). Null if there is none, and on SQLite. */
  claimed_by: string | null
  last_checked_at: number | null
  last_status_changed_at: number | null
  last_response_ms: number | null
  cert_expires_at: number | null
  open_incident: string | null
  /** Of the last 30 days up to the last full hour (monitor-states/rollups.ts). */
  uptime: number | null
  /** Working memory between checks, as JSON: recent samples, the newest results and the unfinished hour. */
  memory: string
  /** Incremented when settings other than the name change, so that a node can reuse settings it has parsed. */
  edition: number
}

export interface IncidentTable {
  org_id: string
  id: string
  /** Position in the organization's list, from 0 in order of opening. */
  seq: number
  num: number
  started_at: number
  resolved_at: number | null
  cause: string
  cause_code: string
  acknowledged_at: number | null
  /** JSON: {type, name}. */
  acknowledged_by: string | null
  failed_checks: number
  first_failure: string
  last_failure: string
  /** JSON: {at, type, message}[], oldest first. */
  timeline: string
  /** How long the monitor was paused, or waited for its first check after that, while the incident was open. */
  paused_ms: Generated<number>
}

/** A mute that has ended stays until the next one. */
export interface MonitorMuteTable {
  monitor_num: number
  org_id: string
  until: number
  muted_at: number
  /** JSON: {type, name}. */
  muted_by: string
}

/** A note on an incident. Deleted with the incident. */
export interface IncidentNoteTable {
  org_id: string
  incident_id: string
  id: string
  /** The user who wrote it, with the name at that time. */
  author_id: string
  author_name: string
  /** Markdown. */
  body: string
  created_at: number
  edited_at: number | null
}

/** One hour or day of a monitor: time spent in each state, and counts of checks. */
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
  /** What of it was imported from another tool, as JSON of UptimeTotals; null if nothing was. */
  imported: string | null
}

/** What checks found besides their results; written only when it changes. */
interface MonitorDetailsTable {
  num: number
  org_id: string
  at: number
  /** JSON, see monitoring/monitor-details/types.ts. */
  details: string
}

/** Signals received on heartbeat URLs; only the latest few of each monitor are kept. */
interface HeartbeatTable {
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
