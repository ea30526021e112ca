import { mailboxKey } from '../../accounts/users/normalize.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { shortenUrl } from '../../lib/mask.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
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
  // The lock keeps the page from being deleted during the transaction.
  const page = q.selectFrom('status_pages').select('id').where('org_id', '=', orgId).where('id', '=', pageId)
  if ((yield* execute(page.forKeyShare())).length === 0) return 'accepted'
  const sameAddress = q.selectFrom('subscribers').select('state').where('address', '=', address)
  const [known] = yield* execute(sameAddress.where('org_id', '=', orgId).where('page_id', '=', pageId))
  if (known?.state === 'CONFIRMED' || !(yield* isWithinLimits(to, address, now))) return 'accepted'
  const elsewhere = sameAddress.where('state', '=', 'PENDING').where('page_id', '!=', pageId)
  if ((yield* execute(elsewhere.limit(MAX_PENDING_PAGES))).length === MAX_PENDING_PAGES) return 'accepted'
  const id = newId('sub', now)
  const fields =
    typeof to === 'string'
      ? { kind: 'EMAIL' as const, sealed_url: null, label: null }
      : { kind: to.kind, sealed_url: sealUrl(to.url, { orgId, id }, sealer), label: shortenUrl(to.url) }
  const confirmBy = now + CONFIRM_WITHIN_MS
  const row = {
    org_id: orgId,
    id,
    page_id: pageId,
    ...fields,
    address,
    state: 'PENDING' as const,
    rejections: 0,
    last_error: null,
    confirm_by: confirmBy,
    created_at: now,
    confirmed_at: null,
  }
  const insert = q
    .insertInto('subscribers')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'page_id', 'address'])
        .doUpdateSet({ state: 'PENDING', confirm_by: confirmBy })
        .where('subscribers.state', '!=', 'CONFIRMED'),
    )
  const [saved] = yield* execute(insert.returning('id'))
  if (saved !== undefined) yield* queueConfirmation({ orgId, id: saved.id, kind: fields.kind, confirmBy }, now)
  return 'accepted'
}

function* isWithinLimits(to: string | Endpoint, address: string, now: number): DbWork<boolean> {
  const mailbox = typeof to === 'string' ? mailboxKey(to) : address
  if (!(yield* countWithin(perMailbox, mailbox, now))) return false
  if (typeof to === 'string' || to.kind === 'SLACK') return true
  return yield* countWithin(perHost, new URL(to.url).hostname, now)
}
