export interface StatusPageTables {
  status_pages: StatusPageTable
  /** Slugs and domains are unique across organizations. */
  status_page_slugs: { slug: string; org_id: string; page_id: string }
  status_page_domains: DomainClaimTable
  status_page_lost_domains: LostDomainTable
  status_page_monitors: StatusPageMonitorTable
  status_page_selectors: StatusPageSelectorTable
  /** The monitors that the selectors of a page match, as far as it shows them. */
  status_page_selected: { org_id: string; page_id: string; section: string; num: number }
  /** Uploaded logos; `image` is base64, `type` such as png. */
  status_page_logos: { org_id: string; page_id: string; hash: string; type: string; image: string }
  published_incidents: PublishedIncidentTable
  published_incident_updates: PublishedUpdateTable
  published_incident_pages: { org_id: string; published_id: string; page_id: string; position: number }
  published_incident_monitors: PublishedMonitorTable
}

export interface StatusPageTable {
  org_id: string
  id: string
  /** Position in the organization's list. */
  seq: number
  name: string
  /** The name case-folded for search (see status-pages/render.ts), because the engines' `lower` differ. */
  folded_name: string
  slug: string
  /** Lower case, in ASCII. */
  custom_domain: string | null
  /** What DNS records of a custom domain name, to prove that its owner chose this page. Random hex digits, not a secret. */
  domain_token: string
  published: number
  visibility: 'PUBLIC' | 'PASSWORD'
  /** Argon2id as a PHC string; null if no password is set. */
  password_hash: string | null
  /** The other settings as members of the JSON object that the API returns. */
  settings: string
  /** JSON as the API returns it: {name, monitors: {monitorId, displayName}[]}[]. */
  sections: string
  created_at: number
  updated_at: number
}

/** A custom domain with the page that claims it, and what is known about the proof. */
export interface DomainClaimTable {
  domain: string
  org_id: string
  page_id: string
  /** Since when the proof was found without a gap longer than the grace period; null if there is none. */
  verified_at: number | null
  /** When DNS last gave a definite answer. */
  checked_at: number | null
  /** Since when the proof of a verified domain is missing. Stays set when the grace period is over. */
  failing_since: number | null
  /** When an unproven claim ends; null until the first check. */
  expires_at: number | null
  /** JSON string[]: the records found in place of the proof. */
  found: string | null
  /** Why the last check had no definite answer; null if it had one. */
  check_error: string | null
  next_check_at: number | null
  claimed_by: string | null
}

export type LostDomainReason = 'EXPIRED' | 'TAKEN_OVER'

/** The domain that a page lost last without a change by its owner. */
export interface LostDomainTable {
  org_id: string
  page_id: string
  domain: string
  reason: LostDomainReason
  lost_at: number
}

interface StatusPageSelectorTable {
  org_id: string
  page_id: string
  /** The name of the section. */
  section: string
  /** See lib/selector.ts. */
  selector: string
}

/** One row per page and monitor, even if several sections of the page show the monitor, or a selector matches it. */
interface StatusPageMonitorTable {
  org_id: string
  page_id: string
  num: number
}

export type AffectedStatus = 'OPERATIONAL' | 'DEGRADED' | 'PARTIAL_OUTAGE' | 'MAJOR_OUTAGE'

export interface PublishedIncidentTable {
  org_id: string
  id: string
  /** Position in the organization's list. */
  seq: number
  title: string
  status: 'INVESTIGATING' | 'IDENTIFIED' | 'MONITORING' | 'RESOLVED'
  impact: 'NONE' | 'MINOR' | 'MAJOR' | 'CRITICAL'
  /** JSON as the API returns it: {monitorId, status}[]. */
  affected: string
  /** The detected incident that it is linked to. */
  incident_id: string | null
  started_at: number
  /** Not null exactly while the status is RESOLVED. */
  resolved_at: number | null
  postmortem: string | null
  update_count: number
  created_at: number
  updated_at: number
}

export interface PublishedUpdateTable {
  org_id: string
  published_id: string
  /** From 1. */
  number: number
  id: string
  status: PublishedIncidentTable['status']
  message: string
  /** JSON {monitorId, status}[], as of the time of the update. */
  affected: string
  published_at: number
  created_at: number
}

/** One row per monitor that a published incident affects, so that pages can join instead of parsing JSON. */
interface PublishedMonitorTable {
  org_id: string
  published_id: string
  num: number
  status: AffectedStatus
}
