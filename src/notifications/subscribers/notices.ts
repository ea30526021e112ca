import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { parseStored } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type SubscriberKind, subscriberKinds } from '../../storage/schema/subscribers.ts'
import type { Adapter, Sent } from '../deliveries/adapter.ts'
import { addDeliveries, type DeliveryClaim } from '../deliveries/queue.ts'
import { retryDelaysMs } from '../deliveries/retry-delays.ts'
import { mediumOf, messageTo } from './message-to.ts'
import { unsubscribe, updateOf } from './queries.ts'
import type { MessageComposer, NoticeTopic, Recipient } from './types.ts'

/** Older notices are not sent, even if the mail server was unreachable until now. */
const NOTICE_LIFE_MS = DAY_MS

/** Progress is saved after each chunk, so a crash repeats at most this many messages. */
export const CHUNK_SIZE = 20

/** A subscriber is disabled after this many rejections in a row. */
const MAX_REJECTIONS = 3

/** An endpoint whose messages have failed for this long is removed. */
const MAX_FAILING_MS = 7 * DAY_MS

/** The payload of a delivery. */
interface NoticePayload {
  readonly noticeId: string
  readonly pageId: string
  readonly kind: SubscriberKind
  readonly topic: NoticeTopic
}

/** Queues one notice for each published page and kind of confirmed subscribers, in the transaction of the change. */
export function* queueNotices(
  orgId: string,
  pageIds: readonly string[],
  topic: NoticeTopic,
  now: number,
): DbWork<void> {
  if (pageIds.length === 0) return
  for (const kind of subscriberKinds) {
    const pages = yield* pagesWithSubscribers(orgId, pageIds, kind)
    yield* addDeliveries(
      pages.map(({ id: pageId }) => {
        const id = newId('ntc', now)
        const payload: NoticePayload = { noticeId: id, pageId, kind, topic }
        return {
          id,
          org_id: orgId,
          kind: 'NOTICE',
          medium: mediumOf(kind),
          target_id: null,
          payload: JSON.stringify(payload),
          due_at: now,
          expires_at: now + NOTICE_LIFE_MS,
          created_at: now,
        }
      }),
    )
  }
}

function* pagesWithSubscribers(
  orgId: string,
  pageIds: readonly string[],
  kind: SubscriberKind,
): DbWork<readonly { readonly id: string }[]> {
  return yield* execute(
    q
      .selectFrom('status_pages as p')
      .select('p.id')
      .where('p.org_id', '=', orgId)
      .where('p.id', 'in', [...pageIds])
      .where('p.published', '=', 1)
      .where((is) =>
        is.exists(
          is
            .selectFrom('subscribers as s')
            .select('s.num')
            .whereRef('s.org_id', '=', 'p.org_id')
            .whereRef('s.page_id', '=', 'p.id')
            .where('s.kind', '=', kind)
            .where('s.state', '=', 'CONFIRMED'),
        ),
      )
      .orderBy('p.id'),
  )
}

interface NoticeRecipient extends Recipient {
  readonly num: number
  /** Rejections of the address in a row. */
  readonly rejections: number
  readonly failingSince: number | null
}

function* recipientsOf(claim: DeliveryClaim, { pageId, kind }: NoticePayload): DbWork<readonly NoticeRecipient[]> {
  const confirmed = q
    .selectFrom('subscribers')
    .select(['num', 'org_id as orgId', 'id', 'kind', 'address', 'rejections'])
    .select(['sealed_url as sealedUrl', 'failing_since as failingSince'])
    .where('org_id', '=', claim.org_id as string)
    .where('state', '=', 'CONFIRMED')
  if (claim.target_id !== null) return yield* execute(confirmed.where('id', '=', claim.target_id))
  return yield* execute(
    confirmed
      .where('page_id', '=', pageId)
      .where('kind', '=', kind)
      .where('num', '>', claim.after_num)
      // Those who confirmed after the notice was created have read it on the page.
      .where('confirmed_at', '<=', claim.created_at)
      .orderBy('num')
      .limit(CHUNK_SIZE),
  )
}

/**
 * Sends a notice to the next chunk of subscribers, or to the one whose turn it is again. A claim covers one chunk, so that a page
 * with very many subscribers does not delay others.
 */
export function notices(composer: MessageComposer, sealer: Sealer): Adapter<NoticeRecipient> {
  return {
    retryDelaysMs: retryDelaysMs.notice,
    *compose(claim) {
      const payload = parseStored(claim.payload) as NoticePayload
      const recipients = yield* recipientsOf(claim, payload)
      if (recipients.length === 0) return undefined
      const { noticeId, pageId, topic } = payload
      const notice = { orgId: claim.org_id as string, id: noticeId, pageId, topic, createdAt: claim.created_at }
      const contentFor = yield* composer.notice(notice)
      if (contentFor === undefined) return undefined
      const messages = recipients.map((recipient) => ({
        message: messageTo(recipient, contentFor(recipient), sealer),
        targetId: recipient.id,
        recipient,
      }))
      const last = recipients.length < CHUNK_SIZE ? undefined : recipients.at(-1)
      return { messages, ...(last && { continuesAfter: last.num }) }
    },
    settle: (_claim, sent, now) => saveResults(sent, now),
  }
}

type SentNotice = Sent<NoticeRecipient>

/** Whether a result means that the recipient gets no further notices. */
export function endsSubscription({ result, recipient }: SentNotice, now: number): boolean {
  if (result.ok || result.fault === 'unreachable') return false
  if (result.fault === 'rejected') return recipient.rejections + 1 >= MAX_REJECTIONS
  return result.fault === 'gone' || now - (recipient.failingSince ?? now) >= MAX_FAILING_MS
}

function* saveResults(sent: readonly SentNotice[], now: number): DbWork<void> {
  for (const one of sent) {
    const { recipient, result } = one
    const { orgId, id, kind, rejections, failingSince } = recipient
    const isEnded = endsSubscription(one, now)
    if (result.ok) {
      const hadFailed = rejections > 0 || failingSince !== null
      if (hadFailed) yield* execute(updateOf(orgId, id).set({ rejections: 0, last_error: null, failing_since: null }))
    } else if (isEnded && kind !== 'EMAIL') {
      // An endpoint that does not exist any more is deleted: its owner can subscribe it again.
      yield* unsubscribe(orgId, id)
    } else if (isEnded || result.fault === 'rejected') {
      const rejected = { rejections: sql<number>`rejections + 1`, last_error: result.error }
      const update = updateOf(orgId, id).set({ ...rejected, ...(isEnded && { state: 'DISABLED' }) })
      yield* execute(update.where('state', '=', 'CONFIRMED'))
    } else if (result.fault === 'refused' && kind !== 'EMAIL') {
      const since = sql<number>`coalesce(failing_since, cast(${now} as bigint))`
      yield* execute(updateOf(orgId, id).set({ failing_since: since, last_error: result.error }))
    }
  }
}
