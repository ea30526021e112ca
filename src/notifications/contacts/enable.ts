import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'

interface ContactUpdate {
  orgId: string
  id: string
  now: number
}

const enable = statement(({ orgId, id, now }: ContactUpdate) =>
  q
    .updateTable('contacts')
    .set({ enabled: 1, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll(),
)

export function* enableContact(orgId: string, id: string, now: number): DbWork<ContactTable | undefined> {
  return yield* first(enable, { orgId, id, now })
}

/** Also ends a claim, so that the result of a message in flight is discarded. */
const disable = statement(({ orgId, id, now }: ContactUpdate) =>
  q
    .updateTable('contacts')
    .set({ enabled: 0, due_at: null, claimed_by: null, failing_since: null, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll(),
)

export const dropPendingAlerts = statement(({ orgId, id, now }: ContactUpdate) =>
  q
    .updateTable('alerts')
    .set({ due_at: null, outcome: 'DROPPED', settled_at: now })
    .where('org_id', '=', orgId)
    .where('contact_id', '=', id)
    .where('due_at', 'is not', null),
)

/** Drops pending alerts: they are not sent when the contact is enabled again. */
export function* disableContact(orgId: string, id: string, now: number): DbWork<ContactTable | undefined> {
  const row = yield* first(disable, { orgId, id, now })
  yield* run(dropPendingAlerts, { orgId, id, now })
  return row
}
