import type { Entry } from './group-alerts.ts'

/** What ended before the monitor failed again is past: only the newer entry says how the monitor is now. */
export function markPast(entries: readonly Entry[]): readonly Entry[] {
  const failed = Map.groupBy(entries.filter(isFailed), ({ alert }) => alert.monitorId)
  return entries.map((entry) => {
    const later = endedStates.includes(entry.state) ? (failed.get(entry.alert.monitorId) ?? []) : []
    return later.some((other) => replaces(other, entry)) ? { ...entry, isPast: true as const } : entry
  })
}

const endedStates: readonly Entry['state'][] = ['was_down', 'was_degraded', 'up', 'recovered']

function isFailed({ state }: Entry): boolean {
  return state === 'down' || state === 'degraded'
}

/** A monitor that is up and slow is up, but not back to normal. */
function replaces({ state, alert }: Entry, one: Entry): boolean {
  const isLater = alert.at >= (one.endedAt ?? one.alert.at)
  return isLater && (state === 'down' || one.state === 'was_degraded' || one.state === 'recovered')
}
