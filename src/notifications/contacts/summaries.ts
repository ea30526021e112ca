import { oneLine, truncate } from '../../lib/text.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Alert } from './types.ts'

/** Incidents whose summary one message has. In a larger outage they would hide the list. */
const MAX_INCIDENTS = 5
const MAX_SUBJECT = 120
/** A line fits into one block of every channel. */
const MAX_LINE = 500

/** The alerts of new incidents with what had changed before them. */
export function* withSummaries<T extends Alert>(orgId: string, alerts: readonly T[]): DbWork<readonly T[]> {
  const opened = alerts.filter(({ kind, incidentId }) => kind === 'opened' && incidentId !== null)
  const ids = [...new Set(opened.map(({ incidentId }) => incidentId as string))].slice(0, MAX_INCIDENTS)
  if (ids.length === 0) return alerts
  const rows = yield* execute(
    q
      .selectFrom('incident_evidence')
      .select(['incident_id', 'evidence'])
      .where('org_id', '=', orgId)
      .where('incident_id', 'in', ids),
  )
  const summaries = new Map(
    rows.map(({ incident_id: id, evidence }) => [id, (JSON.parse(evidence) as { summary: readonly string[] }).summary]),
  )
  return alerts.map((alert) => {
    const summary = alert.kind === 'opened' ? (summaries.get(alert.incidentId ?? '') ?? []) : []
    return summary.length === 0 ? alert : { ...alert, summary }
  })
}

/** One line per incident. Not escaped. */
export function summariesText(alerts: readonly Alert[]): readonly string[] {
  return alerts.flatMap(({ subject, summary }) => {
    if (summary === undefined) return []
    return [truncate(`${truncate(oneLine(subject), MAX_SUBJECT)}: ${oneLine(summary.join(' '))}`, MAX_LINE)]
  })
}
