import { type Flapping, flappingKinds } from '../flapping.ts'
import type { Entry } from './group-alerts.ts'

/** Merges the entries of each flapping monitor into one with its current state and the summary. Keeps the order. */
export function mergeFlapping(entries: readonly Entry[], flapping: readonly Flapping[]): readonly Entry[] {
  const byMonitor = new Map(flapping.map((one) => [one.monitorId, one]))
  const flappingOf = ({ alert }: Entry): Flapping | undefined =>
    flappingKinds.includes(alert.kind) ? byMonitor.get(alert.monitorId ?? '') : undefined
  const groups = Map.groupBy(entries, (entry) => flappingOf(entry) ?? entry)
  return [...groups].map(([key, group]) => ('monitorId' in key ? merged(group, key) : (group[0] as Entry)))
}

/** The entries are sorted by urgency, so the first has the current state, unless its problem has ended. */
function merged(entries: readonly Entry[], flapping: Flapping): Entry {
  const [first] = entries as [Entry]
  const isOver = first.state !== 'down' && first.state !== 'degraded'
  const latest = entries.reduce((a, b) => (b.alert.at > a.alert.at ? b : a))
  return {
    state: isOver ? 'up' : first.state,
    alert: isOver ? latest.alert : first.alert,
    beganAt: null,
    endedAt: isOver ? (latest.endedAt ?? latest.alert.at) : null,
    alerts: entries.flatMap(({ alerts }) => alerts),
    flapping,
  }
}
