export interface MaintenanceTable {
  org_id: string
  id: string
  /** The place in the organization's list. */
  seq: number
  name: string
  description: string | null
  starts_at: number
  ends_at: number
  timezone: string
  recurrence: 'NONE' | 'DAILY' | 'WEEKLY' | 'MONTHLY'
  recurrence_interval: number
  /** Numbers as JSON; empty: the day of the start. */
  days_of_week: string
  days_of_month: string
  recurrence_ends_at: number | null
  /** Ids as JSON, in the order in which they were given. */
  monitor_ids: string
  all_monitors: number
  status_page_ids: string
  /** As it was last told; what it is by now follows from the clock (see maintenance/render.ts). */
  status: 'SCHEDULED' | 'IN_PROGRESS' | 'COMPLETED'
  /** When the next start or end is to be told; null once there is none. */
  next_transition_at: number | null
  /** The row of `maintenance_coverage` that holds now; null where there was nothing left to cover. */
  coverage_id: string | null
  created_at: number
  updated_at: number
}

/**
 * What a window covered from one change of it to the next. The timing and the monitors of a row never change, so that
 * what was covered stays covered, whatever becomes of the window.
 */
export interface MaintenanceCoverageTable {
  org_id: string
  id: string
  /** It covers nothing before this: when it was saved, or its first occurrence after that. */
  from_at: number
  /** It covers nothing from this on: when it was changed, or its last occurrence ended. */
  until_at: number
  /** Numbers of monitors as JSON; null: all that there are. */
  nums: string | null
  /** A `Timing` (see maintenance/types.ts) as JSON. */
  timing: string
}

/** Monitors that are to be checked because a window over them has ended; gone once all are due. */
export interface MaintenanceRecheckTable {
  org_id: string
  id: string
  /** Numbers of monitors as JSON; null: all that there are. */
  nums: string | null
  /** Of all monitors: those up to this place in the list are due already. */
  after_seq: number
}
