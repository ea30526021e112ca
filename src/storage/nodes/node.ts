import type { Member } from '../database.ts'

/** This process as a member of the installation. Claims and locks carry its name. */
export interface ClusterNode {
  /** Changes after the node was declared dead: read it for every claim, or restart under the new name (`NodeListener.rejoined`). */
  readonly name: string
  /**
   * False once other nodes may have declared this one dead, because its row could not be renewed in time. Begin
   * nothing under its name then. Results of work that was begun before may still be written: claims guard them.
   */
  isAlive(): boolean
  /** The nodes that are alive as of the last renewal, this one included, in the order of their names. */
  members(): readonly Member[]
  /** Written with the next renewal, for the other nodes. */
  reportMonitors(count: number): void
  /** The listener is called when the node was declared dead, and when others were. */
  subscribe(listener: NodeListener): void
  /** Releases everything that the node holds and removes it from the members. */
  stop(): Promise<void>
}

export interface NodeListener {
  /** The row could not be renewed in time, so the node may be declared dead: begin and repeat nothing. */
  uncertain?(): void
  /** The node was declared dead, and its claims are others' now: drop all work under the old name. */
  lost?(): void
  /** The node has joined again. */
  rejoined?(name: string): void
  /** A dead node was removed and its claims were released, so there may be work due. */
  released?(): void
}

export interface NodeTiming {
  /** How often a node renews its row. */
  readonly renewEveryMs: number
  /** A node considers itself alive for this long after it sent its last renewal that arrived. */
  readonly aliveForMs: number
  /** Others consider it dead when they have not seen a renewal for this long. Longer than `aliveForMs`. */
  readonly deadAfterMs: number
}

/** A renewal just before the host is lost is seen 2 s later, and missed after 9 to 11 further seconds. */
export const defaultTiming: NodeTiming = { renewEveryMs: 2_000, aliveForMs: 7_000, deadAfterMs: 9_000 }
