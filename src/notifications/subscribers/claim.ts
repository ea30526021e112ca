import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import { type ClaimRequest, type Lease, Queue } from '../../storage/queue/queue.ts'
import type { SubscriberKind } from '../../storage/schema/subscribers.ts'
import { NOTICE_LIFE_MS } from './prune.ts'
import type { Recipient } from './types.ts'

/** Longer than the work under one claim can take. */
export const LEASE_MS = 180_000

export const noticeQueue = new Queue({
  table: 'subscriber_notices',
  key: ['org_id', 'id'],
  due: 'due_at',
  leaseMs: LEASE_MS,
  columns: ['page_id', 'kind', 'topic', 'created_at', 'after_num', 'failures'],
})

export type NoticeLease = Lease<'subscriber_notices', 'org_id' | 'id'>

export interface Claim {
  readonly orgId: string
  readonly id: string
  readonly pageId: string
  readonly kind: SubscriberKind
  /** A NoticeTopic. Parsed while the claim is processed, so that a bad one does not block other notices. */
  readonly topicJson: string
  readonly createdAt: number
  /** Subscribers up to this number were sent to, or have a retry row. */
  readonly afterNum: number
  /** How many times in a row the mail server was unreachable. */
  readonly failures: number
  readonly lease: NoticeLease
}

/** What one sender sends: e-mails, or requests to endpoints. */
export type Medium = 'EMAIL' | 'HTTP'

const claimOf = {
  EMAIL: noticeQueue.claiming((is) => is('kind', '=', 'EMAIL')),
  HTTP: noticeQueue.claiming((is) => is('kind', '!=', 'EMAIL')),
}

/**
 * Claims due notices, the longest due first; deletes those that are too old. A claim covers one chunk of subscribers, so
 * that a page with very many of them does not delay others.
 */
export function* claimNotices(medium: Medium, request: ClaimRequest): DbWork<readonly Claim[]> {
  const claims: Claim[] = []
  for (const row of yield* claimOf[medium](request)) {
    if (row.created_at <= request.now - NOTICE_LIFE_MS) yield* noticeQueue.remove(row)
    else {
      const { org_id: orgId, id, page_id: pageId, kind, topic: topicJson, created_at: createdAt } = row
      const { after_num: afterNum, failures, node, until } = row
      claims.push({
        ...{ orgId, id, pageId, kind, topicJson, createdAt, afterNum, failures },
        lease: { org_id: orgId, id, node, until },
      })
    }
  }
  return claims
}

export interface NoticeRecipient extends Recipient {
  readonly num: number
  /** Failed attempts so far. */
  readonly attempts: number
  /** Rejections of the address in a row. */
  readonly rejections: number
  readonly failingSince: number | null
}

export interface Chunk {
  readonly recipients: readonly NoticeRecipient[]
  /** Subscribers due for a retry who are not confirmed any more. */
  readonly inactive: readonly number[]
  /** The value of `afterNum` after this chunk. */
  readonly afterNum: number
  /** There are no further subscribers after this chunk. */
  readonly isLast: boolean
}

interface RetryQuery {
  orgId: string
  id: string
  now: number
  limit: number
}

const dueRetries = statement(({ orgId, id, now, limit }: RetryQuery) =>
  q
    .selectFrom('subscriber_retries as r')
    .innerJoin('subscribers as s', (on) => on.onRef('s.num', '=', 'r.num').onRef('s.org_id', '=', 'r.org_id'))
    .select(['r.num', 'r.attempts', 's.id', 's.kind', 's.address', 's.state', 's.rejections'])
    .select(['s.sealed_url as sealedUrl', 's.failing_since as failingSince'])
    .where('r.org_id', '=', orgId)
    .where('r.notice_id', '=', id)
    .where('r.due_at', '<=', now)
    .orderBy('r.due_at')
    .limit(limit),
)

interface NextQuery {
  orgId: string
  pageId: string
  kind: SubscriberKind
  afterNum: number
  createdAt: number
  limit: number
}

/** Excludes those who confirmed after the notice was created: they have read it on the page. */
const nextSubscribers = statement(({ orgId, pageId, kind, afterNum, createdAt, limit }: NextQuery) =>
  q
    .selectFrom('subscribers')
    .select(['num', 'id', 'kind', 'address', 'rejections', 'sealed_url as sealedUrl', 'failing_since as failingSince'])
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId)
    .where('kind', '=', kind)
    .where('state', '=', 'CONFIRMED')
    .where('num', '>', afterNum)
    .where('confirmed_at', '<=', createdAt)
    .orderBy('num')
    .limit(limit),
)

const stillClaimed = statement((lease: NoticeLease) => noticeQueue.selectClaimed(lease).select('after_num'))

/** The next subscribers to send to: first due retries, then new ones. Undefined if the claim has ended. */
export function* takeChunk(claim: Claim, now: number, size: number): DbWork<Chunk | undefined> {
  const { orgId, id, pageId, kind, createdAt, afterNum } = claim
  if ((yield* first(stillClaimed, claim.lease)) === undefined) return undefined
  const retries = yield* all(dueRetries, { orgId, id, now, limit: size })
  const room = size - retries.length
  const fresh = room === 0 ? [] : yield* all(nextSubscribers, { orgId, pageId, kind, afterNum, createdAt, limit: room })
  const isConfirmed = ({ state }: { state: string }): boolean => state === 'CONFIRMED'
  return {
    recipients: [
      ...retries.filter(isConfirmed).map(({ state: _, ...retry }) => ({ ...retry, orgId })),
      ...fresh.map((subscriber) => ({ ...subscriber, orgId, attempts: 0 })),
    ],
    inactive: retries.filter((retry) => !isConfirmed(retry)).map(({ num }) => num),
    afterNum: fresh.at(-1)?.num ?? afterNum,
    isLast: room > 0 && fresh.length < room,
  }
}
