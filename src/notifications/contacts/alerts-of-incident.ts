import type { Selectable } from 'kysely'
import { all, type DbWork, q, statement } from '../../storage/query.ts'
import type { AlertTable, ContactTable } from '../../storage/schema/contacts.ts'
import { changeKeyOf } from './alert-contacts.ts'

const MAX_ALERTS = 500

export type IncidentAlert = Pick<
  Selectable<AlertTable>,
  'num' | 'kind' | 'at' | 'due_at' | 'muted_until' | 'attempts' | 'outcome' | 'settled_at'
> &
  Pick<ContactTable, 'name' | 'channel' | 'enabled' | 'confirmed' | 'failing_since' | 'last_error' | 'last_sent_at'> & {
    readonly contact_id: string
  }

/** Found by their change keys, which have an index; `incident_id` has none. */
const byChange = statement(({ orgId, opened, resolved }: { orgId: string; opened: string; resolved: string }) =>
  q
    .selectFrom('alerts as a')
    .innerJoin('contacts as c', (on) => on.onRef('c.org_id', '=', 'a.org_id').onRef('c.id', '=', 'a.contact_id'))
    .select(['a.num', 'a.kind', 'a.at', 'a.due_at', 'a.muted_until', 'a.attempts', 'a.outcome', 'a.settled_at'])
    .select(['c.id as contact_id', 'c.name', 'c.channel', 'c.enabled', 'c.confirmed', 'c.failing_since'])
    .select(['c.last_error', 'c.last_sent_at'])
    .where('a.org_id', '=', orgId)
    .where('a.change_key', 'in', [opened, resolved])
    .orderBy('a.num')
    .limit(MAX_ALERTS),
)

/** The alerts about the start and the end of an incident, in the order in which they were queued. */
export function* alertsOfIncident(orgId: string, incidentId: string): DbWork<readonly IncidentAlert[]> {
  const change = {
    orgId,
    incidentId,
    monitorNum: null,
    monitorId: null,
    subject: '',
    target: null,
    reason: null,
    at: 0,
  }
  const opened = changeKeyOf({ ...change, kind: 'opened' })
  return yield* all(byChange, { orgId, opened, resolved: changeKeyOf({ ...change, kind: 'resolved' }) })
}
