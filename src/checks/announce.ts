import type { Work } from '../storage/query.ts'
import type { Claim } from './claim.ts'
import type { Conclusive, Verdict } from './judge.ts'

/** A check that landed, with what it changed. */
export interface Change {
  readonly claim: Claim
  readonly sample: Conclusive
  readonly verdict: Verdict
  /** The incident that is open now. */
  readonly incident: string | null
  /** A DNS monitor's records are others than before, and somebody wants to know. */
  readonly recordsChanged: boolean
  readonly inMaintenance: boolean
  readonly at: number
}

/** Told of every check that lands, in its own transaction: what it writes commits with the state. */
type Listener = (change: Change) => Work<void>

/** Everyone who is told: the one place from which events and alerts go out. */
const listeners: readonly Listener[] = []

export function* announce(change: Change): Work<void> {
  for (const listener of listeners) yield* listener(change)
}
