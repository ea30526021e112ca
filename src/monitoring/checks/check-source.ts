import type { Claim, ClaimedChecks, UnreadableCheck } from './claim.ts'
import type { WriteOutcome } from './result-writer.ts'

/** Where the checker gets due checks from. */
export interface CheckSource {
  /** Due checks that are not under way; `isMore` if further ones may be due by now. */
  takeDue(now: number, limit: number): Promise<DueChecks>
  /** The check ended, and its result was written or not. */
  settle(claim: Claim, outcome: WriteOutcome, at: number): void
  /** Another node was removed: its monitors can be taken over. */
  nodeRemoved?(): void
  /** Checks that could not begin are due at `dueAt`. */
  postpone(checks: readonly UnreadableCheck[], dueAt: number): Promise<void>
}

export interface DueChecks extends ClaimedChecks {
  readonly isMore: boolean
}

export const nothingDue: DueChecks = { claims: [], unreadable: [], isMore: false }
