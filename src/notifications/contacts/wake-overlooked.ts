import { sql } from 'kysely'
import { type DbWork, q, run, statement } from '../../storage/query.ts'

/** An alert that has waited this long while its contact is not due was overlooked. */
const OVERLOOKED_MS = 5_000

const wake = statement(({ before, now }: { before: number; now: number }) =>
  q
    .updateTable('contacts')
    .set({ due_at: sql`case when hold_until > ${now} then hold_until else ${now} end` })
    .where('claimed_by', 'is', null)
    .where(sql<boolean>`(due_at is null or (due_at > ${now} and due_at > hold_until))`)
    .where('id', 'in', q.selectFrom('alerts').select('contact_id').distinct().where('due_at', '<', before)),
)

/**
 * Makes contacts due that have pending alerts but are not due. This can happen because a transaction that adds an
 * alert to a contact that is due already takes no lock on it (see alert-contacts.ts): if it commits only after the
 * contact was claimed, sent to and settled, nothing else makes the contact due.
 */
export function* wakeOverlooked(now: number): DbWork<number> {
  return yield* run(wake, { before: now - OVERLOOKED_MS, now })
}
