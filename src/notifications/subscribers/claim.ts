import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { SubscriberNoticeTable } from '../../storage/schema/subscribers.ts'
import { NOTICE_LIFE_MS } from './prune.ts'
import type { Notice, Recipient } from './types.ts'

/** Longer than the work under one claim can take. Claims of a dead node are released sooner (see release.ts). */
export const LEASE_MS = 180_000

export interface Claim extends Notice {
  readonly createdAt: number
  /** Subscribers up to this number were sent to, or have a retry row. */
  readonly afterNum: number
  /** How many times in a row the mail server was unreachable. */
  readonly failures: number
  readonly node: string
  /** The end of the lease. Together with `node` it identifies the claim. */
  readonly until: number
}

interface ClaimUpdate {
  now: number
  until: number
  node: string
  limit: number
}

const claimDue = statement(({ now, until, node, limit }: ClaimUpdate) =>
  q
    .updateTable('subscriber_notices')
    .set({ due_at: until, claimed_by: node })
    .where('id', 'in', (of) =>
      of
        .selectFrom('subscriber_notices')
        .select('id')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll(),
)

const deleteNotice = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('subscriber_notices').where('org_id', '=', orgId).where('id', '=', id),
)

/**
 * Claims due notices, the longest due first; deletes those that are too old. A claim covers one chunk of subscribers, so
 * that a page with very many of them does not delay others.
 */
export function* claimNotices(node: string, now: number, limit: number): DbWork<readonly Claim[]> {
  const rows = yield* all(claimDue, { now, until: now + LEASE_MS, node, limit })
  const claims: Claim[] = []
  for (const row of rows) {
    if (row.created_at > now - NOTICE_LIFE_MS) claims.push(claimOf(row, node))
    else yield* run(deleteNotice, { orgId: row.org_id, id: row.id })
  }
  return claims
}

function claimOf(row: SubscriberNoticeTable, node: string): Claim {
  return {
    orgId: row.org_id,
    id: row.id,
    pageId: row.page_id,
    topic: JSON.parse(row.topic),
    createdAt: row.created_at,
    afterNum: row.after_num,
    failures: row.failures,
    node,
    until: row.due_at,
  }
}

export interface NoticeRecipient extends Recipient {
  readonly num: number
  /** Failed attempts so far. */
  readonly attempts: number
  /** Rejections of the address in a row. */
  readonly rejections: number
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
    .select(['r.num', 'r.attempts', 's.id', 's.address', 's.state', 's.rejections'])
    .where('r.org_id', '=', orgId)
    .where('r.notice_id', '=', id)
    .where('r.due_at', '<=', now)
    .orderBy('r.due_at')
    .limit(limit),
)

interface NextQuery {
  orgId: string
  pageId: string
  afterNum: number
  createdAt: number
  limit: number
}

/** Excludes those who confirmed after the notice was created: they have read it on the page. */
const nextSubscribers = statement(({ orgId, pageId, afterNum, createdAt, limit }: NextQuery) =>
  q
    .selectFrom('subscribers')
    .select(['num', 'id', 'address', 'rejections'])
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId)
    .where('state', '=', 'CONFIRMED')
    .where('num', '>', afterNum)
    .where('confirmed_at', '<=', createdAt)
    .orderBy('num')
    .limit(limit),
)

const stillClaimed = statement(
  ({ orgId, id, node, until }: { orgId: string; id: string; node: string; until: number }) =>
    q
      .selectFrom('subscriber_notices')
      .select('after_num')
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('claimed_by', '=', node)
      .where('due_at', '=', until),
)

/** The next subscribers to send to: first due retries, then new ones. Undefined if the claim has ended. */
export function* takeChunk(claim: Claim, now: number, size: number): DbWork<Chunk | undefined> {
  const { orgId, id, pageId, createdAt, afterNum } = claim
  if ((yield* first(stillClaimed, claim)) === undefined) return undefined
  const retries = yield* all(dueRetries, { orgId, id, now, limit: size })
  const room = size - retries.length
  const fresh = room === 0 ? [] : yield* all(nextSubscribers, { orgId, pageId, afterNum, createdAt, limit: room })
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
