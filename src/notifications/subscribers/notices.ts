import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { all, type DbWork, execute, q, runEach, statement } from '../../storage/query.ts'
import { type SubscriberKind, subscriberKinds } from '../../storage/schema/subscribers.ts'
import type { Adapter, Sent } from '../deliveries/adapter.ts'
import { addDeliveries, type DeliveryClaim } from '../deliveries/queue.ts'
import { retryDelaysMs } from '../deliveries/retry-delays.ts'
import { mediumOf, messageTo } from './message-to.ts'
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
          orgId,
          kind: 'NOTICE',
          medium: mediumOf(kind),
          payload: JSON.stringify(payload),
          dueAt: now,
          expiresAt: now + NOTICE_LIFE_MS,
          createdAt: now,
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

const confirmedOf = (orgId: string) =>
  q
    .selectFrom('subscribers')
    .select(['num', 'org_id as orgId', 'id', 'kind', 'address', 'rejections'])
    .select(['sealed_url as sealedUrl', 'failing_since as failingSince'])
    .where('org_id', '=', orgId)
    .where('state', '=', 'CONFIRMED')

const confirmedById = statement(({ orgId, id }: { orgId: string; id: string }) =>
  confirmedOf(orgId).where('id', '=', id),
)

interface NextQuery {
  orgId: string
  pageId: string
  kind: SubscriberKind
  afterNum: number
  createdAt: number
}

/** Excludes those who confirmed after the notice was created: they have read it on the page. */
const nextSubscribers = statement(({ orgId, pageId, kind, afterNum, createdAt }: NextQuery) =>
  confirmedOf(orgId)
    .where('page_id', '=', pageId)
    .where('kind', '=', kind)
    .where('num', '>', afterNum)
    .where('confirmed_at', '<=', createdAt)
    .orderBy('num')
    .limit(CHUNK_SIZE),
)

function* recipientsOf(claim: DeliveryClaim, { pageId, kind }: NoticePayload): DbWork<readonly NoticeRecipient[]> {
  const { target_id: id, after_num: afterNum, created_at: createdAt } = claim
  const orgId = claim.org_id as string
  if (id !== null) return yield* all(confirmedById, { orgId, id })
  return yield* all(nextSubscribers, { orgId, pageId, kind, afterNum, createdAt })
}

/**
 * Sends a notice to the next chunk of subscribers, or to the one whose turn it is again. A claim covers one chunk, so that a page
 * with very many subscribers does not delay others.
 */
export function notices(composer: MessageComposer, sealer: Sealer): Adapter<NoticeRecipient> {
  return {
    retryDelaysMs: retryDelaysMs.notice,
    *compose(claim) {
      const payload = JSON.parse(claim.payload) as NoticePayload
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

interface Update {
  orgId: string
  num: number
  error: string
  now: number
}

const subscriber = ({ orgId, num }: Pick<Update, 'orgId' | 'num'>) =>
  q.updateTable('subscribers').where('org_id', '=', orgId).where('num', '=', num)

const saveSuccess = statement((key: Pick<Update, 'orgId' | 'num'>) =>
  subscriber(key).set({ rejections: 0, last_error: null, failing_since: null }),
)

const rejecting = (update: Update) =>
  subscriber(update)
    .set({ rejections: sql<number>`rejections + 1`, last_error: update.error })
    .where('state', '=', 'CONFIRMED')

const saveRejection = statement((update: Update) => rejecting(update))

const disable = statement((update: Update) => rejecting(update).set({ state: 'DISABLED' }))

const saveFailure = statement((update: Update) =>
  subscriber(update).set({
    failing_since: sql<number>`coalesce(failing_since, cast(${update.now} as bigint))`,
    last_error: update.error,
  }),
)

/** An endpoint that does not exist any more is deleted: its owner can subscribe it again. */
const deleteSubscriber = statement(({ orgId, num }: Update) =>
  q.deleteFrom('subscribers').where('org_id', '=', orgId).where('num', '=', num),
)

function* saveResults(sent: readonly SentNotice[], now: number): DbWork<void> {
  const chosen = (is: (one: SentNotice) => boolean): Update[] =>
    sent.filter(is).map(({ recipient: { orgId, num }, result }) => {
      return { orgId, num, now, error: result.ok ? '' : result.error }
    })
  const hasFault = (one: SentNotice, fault: string): boolean => !one.result.ok && one.result.fault === fault
  const isEmail = ({ recipient: { kind } }: SentNotice): boolean => kind === 'EMAIL'
  const ends = (one: SentNotice): boolean => endsSubscription(one, now)
  const hadFailed = ({ recipient: { rejections, failingSince } }: SentNotice): boolean =>
    rejections > 0 || failingSince !== null
  yield* runEach(
    saveSuccess,
    chosen((one) => one.result.ok && hadFailed(one)),
  )
  yield* runEach(
    saveRejection,
    chosen((one) => hasFault(one, 'rejected') && !ends(one)),
  )
  yield* runEach(
    disable,
    chosen((one) => isEmail(one) && ends(one)),
  )
  yield* runEach(
    saveFailure,
    chosen((one) => !isEmail(one) && hasFault(one, 'refused') && !ends(one)),
  )
  yield* runEach(
    deleteSubscriber,
    chosen((one) => !isEmail(one) && ends(one)),
  )
}
