export interface NodeTables {
  /** The nodes that are alive, or died a few seconds ago. Empty on SQLite. */
  nodes: NodeTable
  /** Locks across nodes (see postgres/locks.ts). Empty on SQLite. */
  locks: { name: string; holder: string; taken_at: number }
  crashed_rows: CrashedRowTable
}

/** A row of a queue whose processing has crashed (see queue/crashes.ts). Deleted when it has been processed. */
interface CrashedRowTable {
  /** The table of the row. */
  queue: string
  /** The primary key of the row, its columns separated by spaces. */
  row_key: string
  /** How often in a row. */
  crashes: number
  /** Nobody claims it before this. */
  retry_at: number
}

/** All times are the database's. */
interface NodeTable {
  /** As claims and locks name the node. */
  name: string
  started_at: number
  /** Written every two seconds. A node is dead when this has not changed for a while (see nodes/judge.ts). */
  renewed_at: number
  /** The operating system's process (see nodes/local-process.ts). */
  process: string | null
  /** How many monitors the node checks. */
  monitors: number
}
