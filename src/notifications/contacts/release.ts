import { sql } from 'kysely'
import { Claims } from '../../storage/lives.ts'
import { q, run, statement, type Work } from '../../storage/query.ts'

/** Claims on contacts. */
export const contactClaims = new Claims({ table: 'contacts', due: 'due_at' })

/** An alert that waits for so long without its contact being due was overlooked. */
const OVERLOOKED_MS = 5_000

const wake = statement(({ before, now }: { before: number; now: number }) =>
  q
    .updateTable('contacts')
    .set({ due_at: sql`case when quiet_until > ${now} then quiet_until else ${now} end` })
    .where('claimed_by', 'is', null)
    .where(sql<boolean>`(due_at is null or (due_at > ${now} and due_at > quiet_until))`)
    .where('id', 'in', q.selectFrom('alerts').select('contact_id').distinct().where('due_at', '<', before)),
)

/**
 * Finds contacts that have something to be told and are not due: a change that found its contact due already does not
 * wait for whoever claims it, and if its transaction took longer than the whole message, it was overlooked.
 */
export function* wakeForgotten(now: number): Work<number> {
  return yield* run(wake, { before: now - OVERLOOKED_MS, now })
}
