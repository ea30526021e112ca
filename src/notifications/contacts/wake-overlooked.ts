import { sql } from 'kysely'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { dueByAlerts } from './claim.ts'

/** An alert that has waited this long while its contact is not due was overlooked. */
const OVERLOOKED_MS = 5_000

/**
 * Makes contacts due that have pending alerts but are not due. This can happen because a transaction that adds an
 * alert to a contact that is due already takes no lock on it (see alert-contacts.ts): if it commits only after the
 * contact was claimed, sent to and settled, nothing else makes the contact due.
 */
export function* wakeOverlooked(now: number): DbWork<number> {
  const overlooked = q
    .selectFrom('alerts')
    .select('contact_id')
    .where('due_at', '<', now - OVERLOOKED_MS)
  const contacts = q
    .selectFrom('contacts')
    .select('id')
    .where('claimed_by', 'is', null)
    .where(sql<boolean>`(due_at is null or (due_at > ${now} and due_at > ${dueByAlerts}))`)
    .where('id', 'in', overlooked)
    // The order of alert-contacts.ts.
    .orderBy('id')
    .forNoKeyUpdate()
  const waking = q.updateTable('contacts').set({ due_at: dueByAlerts }).where('claimed_by', 'is', null)
  return (yield* execute(waking.where('id', 'in', contacts).returning('id'))).length
}
