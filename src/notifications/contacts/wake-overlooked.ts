import { type RawBuilder, sql } from 'kysely'
import { type DbWork, q, run, statement } from '../../storage/query.ts'

/** An alert that has waited this long while its contact is not due was overlooked. */
const OVERLOOKED_MS = 5_000

interface Times {
  before: number
  now: number
}

const overlooked = ({ before }: Times) =>
  q.selectFrom('alerts').select('contact_id').distinct().where('due_at', '<', before)

const waking = ({ now }: Times, held: RawBuilder<number>, contacts: ReturnType<typeof overlooked>) =>
  q
    .updateTable('contacts')
    .set({ due_at: sql`case when ${held} > ${now} then ${held} else ${now} end` })
    .where('claimed_by', 'is', null)
    .where(
      'id',
      'in',
      q
        .selectFrom('contacts')
        .select('id')
        .where('claimed_by', 'is', null)
        .where(sql<boolean>`(due_at is null or (due_at > ${now} and due_at > ${held}))`)
        .where('id', 'in', contacts)
        // The order of alert-contacts.ts.
        .orderBy('id')
        .forNoKeyUpdate(),
    )

const wake = statement((times: Times) => waking(times, sql`hold_until`, overlooked(times)))

/** Outages do not wait for the spacing of messages. */
const wakeUrgently = statement((times: Times) =>
  waking(times, sql`refused_until`, overlooked(times).where('kind', '=', 'opened')),
)

/**
 * Makes contacts due that have pending alerts but are not due. This can happen because a transaction that adds an
 * alert to a contact that is due already takes no lock on it (see alert-contacts.ts): if it commits only after the
 * contact was claimed, sent to and settled, nothing else makes the contact due.
 */
export function* wakeOverlooked(now: number): DbWork<number> {
  const times = { before: now - OVERLOOKED_MS, now }
  return (yield* run(wake, times)) + (yield* run(wakeUrgently, times))
}
