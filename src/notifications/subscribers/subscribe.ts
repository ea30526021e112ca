import { mailboxKey } from '../../accounts/users/normalize.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { shortenUrl } from '../../lib/mask.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import type { SubscriberKind } from '../../storage/schema/subscribers.ts'
import { queueConfirmation } from './confirmations.ts'
import { type Endpoint, endpointKey, sealUrl } from './endpoint.ts'
import { countWithin, MAX_PENDING_PAGES, perClient, perHost, perMailbox, perPage } from './limits.ts'

/** How long the link in a confirmation message is valid. Unconfirmed addresses are deleted after this time. */
const CONFIRM_WITHIN_MS = 48 * HOUR_MS

export interface SignUp {
  readonly orgId: string
  readonly pageId: string
  /** An e-mail address as returned by `parseAddress`, or an endpoint as returned by `parseEndpoint`. */
  readonly to: string | Endpoint
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
  kind: SubscriberKind
  address: string
  sealedUrl: string | null
  label: string | null
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
      kind: s.kind,
      address: s.address,
      sealed_url: s.sealedUrl,
      label: s.label,
      state: 'PENDING',
      rejections: 0,
      last_error: null,
      confirm_by: s.confirmBy,
      created_at: s.now,
      confirmed_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'page_id', 'address'])
        .doUpdateSet({ state: 'PENDING', confirm_by: s.confirmBy })
        .where('subscribers.state', '!=', 'CONFIRMED'),
    )
    .returning('id'),
)

/**
 * Adds an unconfirmed subscriber and queues the confirmation. The result depends only on the limits of client and page, so
 * that it does not reveal whether an address is subscribed.
 */
export function* subscribe(
  { orgId, pageId, to, client }: SignUp,
  sealer: Sealer,
  now: number,
): DbWork<'accepted' | 'tooMany'> {
  if (!(yield* countWithin(perClient, client, now))) return 'tooMany'
  if (!(yield* countWithin(perPage, pageId, now))) return 'tooMany'
  const address = typeof to === 'string' ? to : endpointKey(to, sealer)
  if ((yield* first(lockedPage, { orgId, pageId })) === undefined) return 'accepted'
  if ((yield* first(known, { orgId, pageId, address }))?.state === 'CONFIRMED') return 'accepted'
  if (!(yield* isWithinLimits(to, address, now))) return 'accepted'
  const elsewhere = (yield* first(pendingElsewhere, { pageId, address }))?.count ?? 0
  if (elsewhere >= MAX_PENDING_PAGES) return 'accepted'
  const id = newId('sub', now)
  const fields =
    typeof to === 'string'
      ? { kind: 'EMAIL' as const, sealedUrl: null, label: null }
      : { kind: to.kind, sealedUrl: sealUrl(to.url, { orgId, id }, sealer), label: shortenUrl(to.url) }
  const confirmBy = now + CONFIRM_WITHIN_MS
  const saved = yield* first(insert, { orgId, pageId, address, id, ...fields, now, confirmBy })
  if (saved !== undefined) yield* queueConfirmation({ orgId, id: saved.id, kind: fields.kind, confirmBy }, now)
  return 'accepted'
}

function* isWithinLimits(to: string | Endpoint, address: string, now: number): DbWork<boolean> {
  const mailbox = typeof to === 'string' ? mailboxKey(to) : address
  if (!(yield* countWithin(perMailbox, mailbox, now))) return false
  if (typeof to === 'string' || to.kind === 'SLACK') return true
  return yield* countWithin(perHost, new URL(to.url).hostname, now)
}
