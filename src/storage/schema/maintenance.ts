export interface MaintenanceTables {
  maintenance_windows: MaintenanceTable
  /** Listed monitors, and those that match the selector. */
  maintenance_monitors: { org_id: string; window_id: string; num: number }
  /** May contain pages that were deleted. */
  maintenance_pages: { org_id: string; window_id: string; page_id: string }
  maintenance_coverage: MaintenanceCoverageTable
  maintenance_rechecks: MaintenanceRecheckTable
}

export interface MaintenanceTable {
  org_id: string
  id: string
  /** Position in the organization's list. */
  seq: number
  name: string
  description: string | null
  starts_at: number
  ends_at: number
  timezone: string
  recurrence: 'NONE' | 'DAILY' | 'WEEKLY' | 'MONTHLY'
  recurrence_interval: number
  /** JSON array of numbers. Empty: the day of `starts_at`. */
  days_of_week: string
  days_of_month: string
  recurrence_ends_at: number | null
  /** JSON array of ids, in the order given by the user. */
  monitor_ids: string
  all_monitors: number
  status_page_ids: string
  /** Also covers the monitors that match (see lib/selector.ts); null if there is none. */
  selector: string | null
  /** The status announced last. The current status follows from the clock (see maintenance/render.ts). */
  status: 'SCHEDULED' | 'IN_PROGRESS' | 'COMPLETED'
  /** When the next start or end has to be announced; null if none is left. */
  next_transition_at: number | null
  /** The current row of `maintenance_coverage`; null if nothing is left to cover. */
  coverage_id: string | null
  created_at: number
  updated_at: number
}

/**
 * What a window covered between two edits of it. Timing and monitors of a row never change, so that later edits do not
 * rewrite past coverage.
 */
export interface MaintenanceCoverageTable {
  org_id: string
  id: string
  /** Nothing before this is covered: when it was saved, or the first occurrence after that. */
  from_at: number
  /** Nothing from this on is covered: when it was edited, or the end of the last occurrence. */
  until_at: number
  /** JSON array of monitor numbers; null: all monitors. */
  monitor_nums: string | null
  /** JSON of a `WindowTiming` (see monitoring/maintenance-coverage/types.ts). */
  timing: string
}

/** Monitors to check because a window over them has ended. Deleted once all of them are due. */
interface MaintenanceRecheckTable {
  org_id: string
  id: string
  /** JSON array of monitor numbers; null: all monitors. */
  monitor_nums: string | null
  /** For all monitors: those up to this list position are due already. */
  after_seq: number
}
