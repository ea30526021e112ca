import type { Claim, ClaimedChecks, UnreadableCheck } from './claim.ts'
import { CheckPlaces } from './places.ts'
import type { WriteOutcome } from './result-writer.ts'

/** Where the checker gets due checks from. */
export interface CheckSource {
  /**
   * Due checks that are not under way, of organizations that get a place (without `places`, of all); `isMore` if further ones
   * may be due by now.
   */
  takeDue(now: number, limit: number, places?: CheckPlaces): Promise<DueChecks>
  /** How many checks were due at a time or before, and have not begun. */
  countDue(at: number): Promise<number>
  /** The check ended, and its result was written or not. */
  settle(claim: Claim, outcome: WriteOutcome, at: number): void
  /** Whether another node could check what this one cannot reach. */
  hasOtherNodes?(): boolean
  /** Another node was removed: its monitors can be taken over. */
  nodeRemoved?(): void
  /** Checks that could not begin are due at `dueAt`. */
  postpone(checks: readonly UnreadableCheck[], dueAt: number): Promise<void>
}

export interface DueChecks extends ClaimedChecks {
  readonly isMore: boolean
}

/** For a caller that takes no account of organizations. */
export const unlimitedPlaces = new CheckPlaces(Number.POSITIVE_INFINITY)

export const nothingDue: DueChecks = { claims: [], unreadable: [], isMore: false }
