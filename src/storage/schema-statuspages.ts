export interface StatusPageTable {
  org_id: string
  id: string
  /** The place in the organization's list. */
  seq: number
  name: string
  /** The name as searches compare it (see statuspages/render.ts): what the engines call lower case differs. */
  folded_name: string
  slug: string
  /** Lower case, in ASCII. */
  custom_domain: string | null
  published: number
  visibility: 'PUBLIC' | 'PASSWORD'
  /** Argon2id, as a PHC string; null while no password is set. */
  password_hash: string | null
  /** The other settings, as members of the JSON object that a page leaves as. */
  settings: string
  /** {name, monitors: {monitorId, displayName}[]}[] as JSON, as it leaves. */
  sections: string
  created_at: number
  updated_at: number
}

/** A row for every monitor that a page shows, however many of its sections it stands in. */
export interface StatusPageMonitorTable {
  org_id: string
  page_id: string
  num: number
}

export type AffectedStatus = 'OPERATIONAL' | 'DEGRADED' | 'PARTIAL_OUTAGE' | 'MAJOR_OUTAGE'

export interface PublishedIncidentTable {
  org_id: string
  id: string
  /** The place in the organization's list. */
  seq: number
  title: string
  status: 'INVESTIGATING' | 'IDENTIFIED' | 'MONITORING' | 'RESOLVED'
  impact: 'NONE' | 'MINOR' | 'MAJOR' | 'CRITICAL'
  /** {monitorId, status}[] as JSON, as it leaves. */
  affected: string
  /** The detected incident that it belongs to. */
  incident_id: string | null
  started_at: number
  /** Set exactly while the status is RESOLVED. */
  resolved_at: number | null
  postmortem: string | null
  update_count: number
  created_at: number
  updated_at: number
}

export interface PublishedUpdateTable {
  org_id: string
  published_id: string
  /** Counted from 1. */
  number: number
  id: string
  status: PublishedIncidentTable['status']
  message: string
  /** As it was when the update was posted: {monitorId, status}[] as JSON. */
  affected: string
  published_at: number
  created_at: number
}

/** A row for every monitor that a published incident affects, so that pages need not look into its JSON. */
export interface PublishedMonitorTable {
  org_id: string
  published_id: string
  num: number
  status: AffectedStatus
}
