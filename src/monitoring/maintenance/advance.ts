import { endOfRun, latestStarted, nextAfter, phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { MaintenanceStatus, Occurrence, WindowTiming } from '../maintenance-coverage/types.ts'

/** The last announced status of a window. */
export interface WindowProgress {
  readonly status: MaintenanceStatus
  /** When the next start or end is to be announced; null if there is none. */
  readonly nextTransitionAt: number | null
}

export interface Transition {
  readonly event: 'maintenance.started' | 'maintenance.completed'
  readonly at: number
}

/** The progress of a window that is saved at `now`. Earlier starts and ends are not announced. */
export function progressAt(timing: WindowTiming, now: number): WindowProgress {
  const { status, current, next } = phaseAt(timing, now)
  return { status, nextTransitionAt: current === null ? (next?.startsAt ?? null) : endOfRun(timing, current) }
}

/**
 * The starts and ends to announce by `now`. Every announced start is followed by its end. Of the occurrences that were
 * missed while no scheduler was running, only the latest is announced, with start and end.
 */
export function advance(
  timing: WindowTiming,
  progress: WindowProgress,
  now: number,
): { progress: WindowProgress; transitions: readonly Transition[] } {
  const due = progress.nextTransitionAt
  if (due === null || due > now) return { progress, transitions: [] }
  const transitions: Transition[] = []
  let from = due
  if (progress.status === 'IN_PROGRESS') {
    from = endFrom(timing, due, now)
    if (from > now) return { progress: { status: 'IN_PROGRESS', nextTransitionAt: from }, transitions }
    transitions.push({ event: 'maintenance.completed', at: from })
  }
  const latest = latestStarted(timing, now, from)
  if (latest === null) return { progress: progressUntil(nextAfter(timing, now)), transitions }
  transitions.push({ event: 'maintenance.started', at: latest.startsAt })
  if (latest.endsAt > now) {
    return { progress: { status: 'IN_PROGRESS', nextTransitionAt: endOfRun(timing, latest) }, transitions }
  }
  transitions.push({ event: 'maintenance.completed', at: latest.endsAt })
  return { progress: progressUntil(nextAfter(timing, now)), transitions }
}

/** `endOfRun` follows a limited number of overlapping occurrences, so its result can lie within a longer run. */
function endFrom(timing: WindowTiming, at: number, now: number): number {
  let end = at
  for (;;) {
    const { current } = phaseAt(timing, end)
    if (current === null || end > now) return end
    end = endOfRun(timing, current)
  }
}

function progressUntil(next: Occurrence | null): WindowProgress {
  return next === null
    ? { status: 'COMPLETED', nextTransitionAt: null }
    : { status: 'SCHEDULED', nextTransitionAt: next.startsAt }
}
