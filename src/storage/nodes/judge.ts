import type { Member } from '../database.ts'
import type { NodeTiming } from './node.ts'

/** What an observer remembers of the other nodes. Times are its own monotonic ones. */
export interface Observation {
  readonly at: number
  readonly seen: ReadonlyMap<string, { readonly renewedAt: number; readonly since: number }>
}

export const nothingObserved: Observation = { at: Number.NEGATIVE_INFINITY, seen: new Map() }

/**
 * Decides which nodes are dead: those whose row has not changed while this node has looked without interruption for
 * `deadAfterMs`. No clocks are compared, so it does not matter whether they agree or whether the database's was set. An
 * interruption, such as an outage of the database, restarts the wait, because the others could not renew either.
 */
export function judgeNodes(
  before: Observation,
  others: readonly Member[],
  at: number,
  { renewEveryMs, deadAfterMs }: NodeTiming,
) {
  const isInterrupted = at - before.at > Math.max(2 * renewEveryMs, deadAfterMs / 2)
  const seen = new Map<string, { renewedAt: number; since: number }>()
  const dead: Member[] = []
  for (const member of others) {
    const { name, renewedAt } = member
    const known = isInterrupted ? undefined : before.seen.get(name)
    const since = known?.renewedAt === renewedAt ? known.since : at
    seen.set(name, { renewedAt, since })
    if (at - since >= deadAfterMs) dead.push(member)
  }
  const observation: Observation = { at, seen }
  return { observation, dead }
}
