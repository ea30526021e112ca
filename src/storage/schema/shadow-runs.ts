export interface ShadowRunTables {
  shadow_runs: ShadowRunTable
  shadow_spans: ShadowSpanTable
}

/** A comparison with another tool. An organization has one of each tool; a new one replaces one that has ended. */
export interface ShadowRunTable {
  org_id: string
  id: string
  tool: string
  url: string
  /** The key of the other tool, sealed. Deleted when the run ends. */
  sealed_key: string | null
  started_at: number
  /** When it ends by itself. */
  ends_at: number
  /** Null while it runs. */
  ended_at: number | null
  contacts_enabled_at: number | null
  last_poll_at: number | null
  /** Why the last poll failed, a sentence. */
  last_error: string | null
  matched: number
  /** JSON: Unmatched in shadow-runs/save-poll.ts. */
  unmatched: string
  /** When the next poll is due. During a claim: when the claim expires. Null if the run has ended. */
  next_poll_at: number | null
  claimed_by: string | null
}

/** What both tools said about a monitor for a while. Number 0 stands for the other tool itself. */
export interface ShadowSpanTable {
  org_id: string
  run_id: string
  num: number
  from_at: number
  /** Null if it still is so. */
  until_at: number | null
  theirs: string
  ours: string
}
