import { HOUR_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { countWithin, MAX_PENDING_PAGES, perAddress, perClient, perPage } from './limits.ts'

/** For so long the link in the mail works; then an address that was not confirmed is forgotten. */
export const CONFIRM_WITHIN_MS = 48 * HOUR_MS

export interface SignUp {
  readonly orgId: string
  readonly pageId: string
  /** As `addressIn` gives it. */
  readonly address: string
  /** The network that the request came from. */
  readonly client: string
}

interface Place {
  orgId: string
  pageId: string
}

/** The page stays until the end of the transaction, so that nobody subscribes to one that is being deleted. */
const page = statement(({ orgId, pageId }: Place) =>
  q.selectFrom('status_pages').select('id').where('org_id', '=', orgId).where('id', '=', pageId).forKeyShare(),
)

const known = statement(({ orgId, pageId, address }: Place & { address: string }) =>
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

interface NewSubscriber extends Place {
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
 * Takes note of somebody who wants to be told, and queues the mail that asks for a confirmation. Whether the address is
 * known, or is asked too often, shows in nothing: both answers are about who asks, and what is asked of the page.
 */
export function* subscribe({ orgId, pageId, address, client }: SignUp, now: number): DbWork<'noted' | 'tooMany'> {
  if (!(yield* countWithin(perClient, client, now))) return 'tooMany'
  if (!(yield* countWithin(perPage, pageId, now))) return 'tooMany'
  if ((yield* first(page, { orgId, pageId })) === undefined) return 'noted'
  if ((yield* first(known, { orgId, pageId, address }))?.state === 'CONFIRMED') return 'noted'
  if (!(yield* countWithin(perAddress, address, now))) return 'noted'
  const elsewhere = (yield* first(pendingElsewhere, { pageId, address }))?.count ?? 0
  if (elsewhere >= MAX_PENDING_PAGES) return 'noted'
  const id = newId('sub', now)
  yield* run(insert, { orgId, pageId, address, id, now, confirmBy: now + CONFIRM_WITHIN_MS })
  return 'noted'
}
