import { parseStored } from '../../lib/json.ts'
import type { Reason } from '../../reasons/reason.ts'
import { reasonIn } from '../../reasons/stored.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Alert, AlertKind } from './types.ts'

/** More outages than a message lists. */
const MAX_OUTAGES = 300

const aboutIncidents: readonly AlertKind[] = ['opened', 'resolved', 'acknowledged']

/**
 * Alerts about incidents with the beginning and the last failure of the incident. Alerts about outages that last have the last
 * failure as their reason: what opened the incident may be over.
 */
export function* withLastFailures<T extends Alert>(orgId: string, alerts: readonly T[]): DbWork<readonly T[]> {
  const isAbout = ({ kind }: Alert): boolean => aboutIncidents.includes(kind)
  const ids = [...new Set(alerts.flatMap((alert) => (isAbout(alert) ? (alert.incidentId ?? []) : [])))].slice(
    0,
    MAX_OUTAGES,
  )
  if (ids.length === 0) return alerts
  const columns = ['id', 'started_at', 'resolved_at', 'last_failure'] as const
  const incidents = q.selectFrom('incidents').select(columns).where('org_id', '=', orgId).where('id', 'in', ids)
  const found = new Map((yield* execute(incidents)).map((row) => [row.id, row]))
  return alerts.map((alert) => {
    const incident = isAbout(alert) ? found.get(alert.incidentId ?? '') : undefined
    if (incident === undefined) return alert
    const error = reasonIn((parseStored(incident.last_failure) as { error: Reason | string }).error)
    const isOngoing = alert.kind === 'opened' && alert.endedAt === null && incident.resolved_at === null
    const known = { ...alert.found, startedAt: incident.started_at, lastReason: error }
    return { ...alert, found: known, ...(isOngoing && { reason: error }) }
  })
}
