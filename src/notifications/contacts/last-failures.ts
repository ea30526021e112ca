import { parseStored } from '../../lib/json.ts'
import type { Reason } from '../../reasons/reason.ts'
import { reasonIn } from '../../reasons/stored.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Alert } from './types.ts'

/** More outages than a message lists. */
const MAX_OUTAGES = 300

/** Alerts about outages that last have the last failure as their reason: what opened the incident may be over. */
export function* withLastFailures<T extends Alert>(orgId: string, alerts: readonly T[]): DbWork<readonly T[]> {
  const ids = alerts
    .flatMap(({ kind, endedAt, incidentId }) => (kind === 'opened' && endedAt === null ? (incidentId ?? []) : []))
    .slice(0, MAX_OUTAGES)
  if (ids.length === 0) return alerts
  const ongoing = q.selectFrom('incidents').select(['id', 'last_failure']).where('org_id', '=', orgId)
  const rows = yield* execute(ongoing.where('id', 'in', ids).where('resolved_at', 'is', null))
  const reasons = new Map(
    rows.map(({ id, last_failure: text }) => [id, reasonIn((parseStored(text) as { error: Reason | string }).error)]),
  )
  return alerts.map((alert) => {
    const reason = alert.kind === 'opened' ? reasons.get(alert.incidentId ?? '') : undefined
    return reason === undefined ? alert : { ...alert, reason }
  })
}
