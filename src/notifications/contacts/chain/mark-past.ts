import type { Entry } from './group-alerts.ts'

/** What ended before the monitor failed again is past: only the newer entry says how the monitor is now. */
export function markPast(entries: readonly Entry[]): readonly Entry[] {
  const isPast = (one: Entry): boolean =>
    endedStates.includes(one.state) && entries.some((other) => isLater(other, one) && replaces(other, one))
  return entries.map((entry) => (isPast(entry) ? { ...entry, isPast: true } : entry))
}

const endedStates: readonly Entry['state'][] = ['was_down', 'was_degraded', 'up', 'recovered']

function isLater(other: Entry, one: Entry): boolean {
  return other.alert.monitorId === one.alert.monitorId && other.alert.at >= (one.endedAt ?? one.alert.at)
}

/** A monitor that is up and slow is up, but not back to normal. */
function replaces({ state }: Entry, one: Entry): boolean {
  if (state === 'down') return true
  return state === 'degraded' && (one.state === 'was_degraded' || one.state === 'recovered')
}
