export interface ConfigurationTables {
  configuration_items: ConfigurationItemTable
  configuration_plans: ConfigurationPlanTable
  imports: ImportTable
  sealed_lines: SealedLineTable
}

/** A resource that a configuration document manages. The row of a resource that was deleted by hand has no meaning any more. */
export interface ConfigurationItemTable {
  org_id: string
  /** A kind of the document, such as `monitors`, or that of contacts that wait for the end of their import. */
  kind: string
  resource_id: string
  source: string
  key: string
  /** A keyed hash of the applied secret that the resource stores only as a hash, such as the password of a status page. */
  secret_hash: string | null
}

interface ConfigurationPlanTable {
  org_id: string
  id: string
  /** The key or user. */
  planned_by: string
  created_at: number
}

/**
 * The lines of large texts with secrets, such as a plan. One large value would hold the event loop while SQLite writes or reads it.
 */
interface SealedLineTable {
  org_id: string
  text_id: string
  num: number
  sealed: string
  /** Null if the text stays. */
  expires_at: number | null
}

/** Uploaded files of another tool, as they were read. The report, and until it is applied the document, are in `sealed_lines`. */
export interface ImportTable {
  org_id: string
  id: string
  /** The tool, such as `kuma`. */
  source: string
  /** The files and counts, as JSON. */
  summary: string
  created_at: number
  /** Null once it was applied. */
  expires_at: number | null
  applied_at: number | null
}
