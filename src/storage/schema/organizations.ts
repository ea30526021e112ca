export interface OrganizationTables {
  organizations: OrganizationTable
  api_keys: ApiKeyTable
  idempotency_records: IdempotencyTable
  /** PostgreSQL only: SQLite counts requests in memory. */
  rate_windows: { subject: string; started_at: number; used: number }
  /** See list-index.ts. */
  list_totals: { org_id: string; kind: ListKind; live: number; issued: number }
  /** Organizations that no longer want to see the setup checklist. */
  dismissed_checklists: { org_id: string; dismissed_at: number }
}

/** The lists of an organization that are numbered and counted. */
export type ListKind =
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
  /** An IANA name, for reports. */
  timezone: string
}

export interface ApiKeyTable {
  id: string
  org_id: string
  name: string
  /** SHA-256 of the key in hex. The key itself is not stored. */
  hash: string
  /** The last four characters of the key, for display. */
  hint: string
  access: 'full' | 'read-only'
  expires_at: number | null
  disabled_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  /** For IPv6: the network prefix. */
  last_used_address: string | null
  /** Id of the user, who may no longer be a member. Null for keys of the command line and for older keys. */
  created_by: string | null
  created_at: number
}

export interface IdempotencyTable {
  org_id: string
  key: string
  /** Keyed hash (see lib/seal.ts) of method, path and validated body. */
  fingerprint: string
  status: number
  /** Headers and body of the response. Sealed, because a creation may return a secret. */
  answer: string
  /** The length of the answer. */
  bytes: number
  expires_at: number
}
