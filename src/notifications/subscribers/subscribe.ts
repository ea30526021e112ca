import { mailboxKey } from '../../accounts/users/normalize.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { countWithin, MAX_PENDING_PAGES, perClient, perMailbox, perPage } from './limits.ts'

/** How long the link in a confirmation e-mail is valid. Unconfirmed addresses are deleted after this time. */
const CONFIRM_WITHIN_MS = 48 * HOUR_MS

export interface SignUp {
  readonly orgId: string
  readonly pageId: string
  /** As returned by `parseAddress`. */
  readonly address: string
  /** The network of the client. */
  readonly client: string
}

interface PageKey {
  orgId: string
  pageId: string
}

/** The lock keeps the page from being deleted during the transaction. */
const lockedPage = statement(({ orgId, pageId }: PageKey) =>
  q.selectFrom('status_pages').select('id').where('org_id', '=', orgId).where('id', '=', pageId).forKeyShare(),
)

const known = statement(({ orgId, pageId, address }: PageKey & { address: string }) =>
  q
    .selectFrom('subscribers')
    .select('state')
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId)
    .where('address', '=', address),
)

const pendingElsewhere = statement(({ pageId, address }: { pageId: string; address: string }) =>
  q
    .selectFrom('subscribers')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('address', '=', address)
    .where('state', '=', 'PENDING')
    .where('page_id', '!=', pageId),
)

interface NewSubscriber extends PageKey {
  id: string
  address: string
  now: number
  confirmBy: number
}

const insert = statement((s: NewSubscriber) =>
  q
    .insertInto('subscribers')
    .values({
      org_id: s.orgId,
      id: s.id,
      page_id: s.pageId,
      address: s.address,
      state: 'PENDING',
      rejections: 0,
      last_error: null,
      confirm_by: s.confirmBy,
      confirm_due_at: s.now,
      confirm_attempts: 0,
      claimed_by: null,
      created_at: s.now,
      confirmed_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'page_id', 'address'])
        .doUpdateSet({
          state: 'PENDING',
          confirm_by: s.confirmBy,
          confirm_due_at: s.now,
          confirm_attempts: 0,
          claimed_by: null,
        })
        .where('subscribers.state', '!=', 'CONFIRMED'),
    ),
)

/**
 * Adds an unconfirmed subscriber and queues the confirmation e-mail. The result depends only on the limits of client and
 * page, so that it does not reveal whether an address is subscribed.
 */
export function* subscribe({ orgId, pageId, address, client }: SignUp, now: number): DbWork<'accepted' | 'tooMany'> {
  if (!(yield* countWithin(perClient, client, now))) return 'tooMany'
  if (!(yield* countWithin(perPage, pageId, now))) return 'tooMany'
  if ((yield* first(lockedPage, { orgId, pageId })) === undefined) return 'accepted'
  if ((yield* first(known, { orgId, pageId, address }))?.state === 'CONFIRMED') return 'accepted'
  if (!(yield* countWithin(perMailbox, mailboxKey(address), now))) return 'accepted'
  const elsewhere = (yield* first(pendingElsewhere, { pageId, address }))?.count ?? 0
  if (elsewhere >= MAX_PENDING_PAGES) return 'accepted'
  const id = newId('sub', now)
  yield* run(insert, { orgId, pageId, address, id, now, confirmBy: now + CONFIRM_WITHIN_MS })
  return 'accepted'
}
