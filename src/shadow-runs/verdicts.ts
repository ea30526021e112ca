export const tools = ['KUMA', 'GATUS', 'UPTIMEROBOT'] as const
export type Tool = (typeof tools)[number]

/**
 * What the other tool says about a monitor. PENDING: it has no verdict yet. SILENT: the tool does not answer. ALL_DOWN: it
 * reports all of its monitors as down at once, which Pharos does not see.
 */
export const theirStates = ['UP', 'DOWN', 'PENDING', 'MAINTENANCE', 'PAUSED', 'SILENT', 'ALL_DOWN'] as const
export type TheirState = (typeof theirStates)[number]

/** What Pharos says at the same time. UNKNOWN: its checks are inconclusive. DEGRADED counts as UP. */
export const ourStates = ['UP', 'DOWN', 'PENDING', 'MAINTENANCE', 'PAUSED', 'UNKNOWN'] as const
export type OurState = (typeof ourStates)[number]

/** A monitor of the other tool with its verdict. */
export interface TheirMonitor {
  /** Its id there; undefined if the tool does not publish it. */
  readonly id?: string
  readonly name: string
  /** Other names that an importer may have given it. */
  readonly otherNames?: readonly string[]
  /** What it checks: a URL, a host, or a host and a port. */
  readonly address?: string
  readonly state: 'UP' | 'DOWN' | 'PENDING' | 'MAINTENANCE' | 'PAUSED'
}

/** How often the other tool is asked. */
export const POLL_MS = 30_000
