export interface NodeTables {
  /** The nodes that are alive, or died a few seconds ago. Empty on SQLite. */
  nodes: NodeTable
  /** Locks across nodes (see postgres/locks.ts). Empty on SQLite. */
  locks: { name: string; holder: string; taken_at: number }
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
