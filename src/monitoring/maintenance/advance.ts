import { endOfRun, latestBegun, nextAfter, phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { MaintenanceStatus, Occurrence, Timing } from '../maintenance-coverage/types.ts'

/** How far a window was told. */
export interface Told {
  readonly status: MaintenanceStatus
  /** When the next start or end is to be told; null once there is none. */
  readonly nextTransitionAt: number | null
}

/** A start or an end, and when it was. */
export interface Transition {
  readonly event: 'maintenance.started' | 'maintenance.completed'
  readonly at: number
}

/** How a window stands that was saved just now: what was before is not told. */
export function toldAt(timing: Timing, now: number): Told {
  const { status, current, next } = phaseAt(timing, now)
  return { status, nextTransitionAt: current === null ? (next?.startsAt ?? null) : endOfRun(timing, current) }
}

/**
 * What is to be told of a window by now. Whoever was told of a start is told of its end. Of occurrences that passed while
 * nobody was there to tell, only the latest is told, start and end, unless another one is under way: a receiver that
 * waits for the end of a window must not wait for ever, and older ones are of no use to anybody.
 */
export function advance(timing: Timing, told: Told, now: number): { told: Told; transitions: readonly Transition[] } {
  const due = told.nextTransitionAt
  if (due === null || due > now) return { told, transitions: [] }
  const transitions: Transition[] = []
  let from = due
  if (told.status === 'IN_PROGRESS') {
    from = endFrom(timing, due, now)
    if (from > now) return { told: { status: 'IN_PROGRESS', nextTransitionAt: from }, transitions }
    transitions.push({ event: 'maintenance.completed', at: from })
  }
  const latest = latestBegun(timing, now, from)
  if (latest === null) return { told: restUntil(nextAfter(timing, now)), transitions }
  transitions.push({ event: 'maintenance.started', at: latest.startsAt })
  if (latest.endsAt > now) {
    return { told: { status: 'IN_PROGRESS', nextTransitionAt: endOfRun(timing, latest) }, transitions }
  }
  transitions.push({ event: 'maintenance.completed', at: latest.endsAt })
  return { told: restUntil(nextAfter(timing, now)), transitions }
}

/** A run that is very long is followed piece by piece: a piece may end within it. */
function endFrom(timing: Timing, at: number, now: number): number {
  let end = at
  for (;;) {
    const { current } = phaseAt(timing, end)
    if (current === null || end > now) return end
    end = endOfRun(timing, current)
  }
}

function restUntil(next: Occurrence | null): Told {
  return next === null
    ? { status: 'COMPLETED', nextTransitionAt: null }
    : { status: 'SCHEDULED', nextTransitionAt: next.startsAt }
}
