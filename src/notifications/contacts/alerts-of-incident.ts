import { type DbWork, execute, q } from '../../storage/query.ts'
import { changeKeyOf } from './alert-contacts.ts'

const MAX_ALERTS = 500

export type IncidentAlert = ReturnType<typeof alertsOfIncident> extends DbWork<readonly (infer A)[]> ? A : never

/** The alerts about the start and the end of an incident, in the order in which they were queued. */
export function* alertsOfIncident(orgId: string, incidentId: string) {
  const changeKeys = [changeKeyOf('opened', incidentId), changeKeyOf('resolved', incidentId)]
  return yield* execute(
    q
      .selectFrom('alerts as a')
      .innerJoin('contacts as c', (on) => on.onRef('c.org_id', '=', 'a.org_id').onRef('c.id', '=', 'a.contact_id'))
      .select(['a.num', 'a.kind', 'a.at', 'a.due_at', 'a.muted_until', 'a.attempts', 'a.outcome', 'a.settled_at'])
      .select(['c.id as contact_id', 'c.name', 'c.channel', 'c.enabled', 'c.confirmed', 'c.failing_since'])
      .select(['c.last_error', 'c.last_sent_at'])
      .where('a.org_id', '=', orgId)
      // Has an index; `incident_id` has none.
      .where('a.change_key', 'in', changeKeys)
      .orderBy('a.num')
      .limit(MAX_ALERTS),
  )
}
