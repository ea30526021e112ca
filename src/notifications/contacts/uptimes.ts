import type { DbWork } from '../../storage/query.ts'
import { MAX_DETAILED } from './details.ts'
import { wordsFor } from './languages/words.ts'
import type { Alert } from './types.ts'

/** The uptime of monitors since a time, 0 to 1. Without those that were not monitored. */
export type UptimeSince = (
  orgId: string,
  monitorIds: readonly string[],
  from: number,
  now: number,
) => DbWork<ReadonlyMap<string, number>>

/** Alerts about the ends of outages with the uptime of today, in the time zone of the reader. Only a message about a few has it. */
export function* withUptimes<T extends Alert>(
  orgId: string,
  alerts: readonly T[],
  timezone: string,
  uptimeSince: UptimeSince,
  now: number,
): DbWork<readonly T[]> {
  const ids = new Set(
    alerts.flatMap(({ kind, monitorId }) => (kind === 'resolved' && monitorId !== null ? [monitorId] : [])),
  )
  if (ids.size === 0 || ids.size > MAX_DETAILED) return alerts
  const from = wordsFor('en', timezone).startOfDay(now)
  const uptimes = yield* uptimeSince(orgId, [...ids], from, now)
  return alerts.map((alert) => {
    const uptimeToday = alert.kind === 'resolved' ? uptimes.get(alert.monitorId ?? '') : undefined
    return uptimeToday === undefined ? alert : { ...alert, found: { ...alert.found, uptimeToday } }
  })
}
