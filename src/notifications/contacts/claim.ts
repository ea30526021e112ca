import { sql } from 'kysely'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type Claimed, type ClaimRequest, Queue } from '../../storage/queue/queue.ts'

/** The queue of contacts with pending alerts. A lease is longer than sending one message can take. */
export const contactQueue = new Queue({
  table: 'contacts',
  key: ['org_id', 'id'],
  due: 'due_at',
  leaseMs: 180_000,
  columns: [],
})

/** A contact that this node alone may send to while the lease lasts. */
export interface Claim extends Claimed<'contacts', 'org_id' | 'id', never> {
  readonly claimedAt: number
}

/** Claims due contacts whose last message failed, or only the others. */
function claiming(isFailing: boolean) {
  const claim = contactQueue.claiming((is) => is('failing_since', isFailing ? 'is not' : 'is', null))
  return function* (request: ClaimRequest): DbWork<readonly Claim[]> {
    return (yield* claim(request)).map((lease) => ({ ...lease, claimedAt: request.now }))
  }
}

export const claimHealthy = claiming(false)
export const claimFailing = claiming(true)

/**
 * When a contact is due by its pending alerts; null if it has none. Outages do not wait for the spacing of messages, only if the
 * provider asked for it.
 */
export const dueByAlerts = sql<number | null>`(select min(case
    when a.kind = 'opened' and refused_until > a.due_at then refused_until
    when a.kind <> 'opened' and hold_until > a.due_at then hold_until
    else a.due_at end)
  from alerts a where a.org_id = contacts.org_id and a.contact_id = contacts.id and a.due_at is not null)`

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
