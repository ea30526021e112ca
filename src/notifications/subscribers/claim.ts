import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { SubscriberNoticeTable } from '../../storage/schema/subscribers.ts'
import { NOTICE_LIFE_MS } from './prune.ts'
import type { Notice, Recipient } from './types.ts'

/** Longer than any of what is done under a claim can take. A node that dies is noticed sooner (see release.ts). */
export const LEASE_MS = 180_000

/** A notice that is ours to go on with. */
export interface Claim extends Notice {
  readonly createdAt: number
  readonly afterNum: number
  readonly failures: number
  readonly node: string
  /** When it ends; with the node, what it is known by. */
  readonly until: number
}

interface Taking {
  now: number
  until: number
  node: string
  limit: number
}

const take = statement(({ now, until, node, limit }: Taking) =>
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

const drop = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('subscriber_notices').where('org_id', '=', orgId).where('id', '=', id),
)

/**
 * Claims notices that are due, the longest due first. Each is let go of after a few letters, so that a page with very many
 * subscribers does not keep others waiting.
 */
export function* claimNotices(node: string, now: number, limit: number): DbWork<readonly Claim[]> {
  const rows = yield* all(take, { now, until: now + LEASE_MS, node, limit })
  const claims: Claim[] = []
  for (const row of rows) {
    if (row.created_at > now - NOTICE_LIFE_MS) claims.push(claimOf(row, node))
    else yield* run(drop, { orgId: row.org_id, id: row.id })
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

/** Somebody whom a notice is to reach now. */
export interface NoticeRecipient extends Recipient {
  readonly num: number
  /** How often it was tried in vain. */
  readonly attempts: number
  /** How often in a row there was said to be no such recipient. */
  readonly rejections: number
}

export interface Chunk {
  readonly recipients: readonly NoticeRecipient[]
  /** Subscribers who are to be told again, but left or were disabled meanwhile. */
  readonly inactive: readonly number[]
  /** The number up to which everybody is told with this. */
  readonly afterNum: number
  /** Nobody comes after it. */
  readonly isLast: boolean
}

interface Due {
  orgId: string
  id: string
  now: number
  limit: number
}

const dueAgain = statement(({ orgId, id, now, limit }: Due) =>
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

interface Next {
  orgId: string
  pageId: string
  afterNum: number
  createdAt: number
  limit: number
}

/** Whoever subscribed after the news was out has read it on the page. */
const next = statement(({ orgId, pageId, afterNum, createdAt, limit }: Next) =>
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

const cursorOf = statement(({ orgId, id, node, until }: { orgId: string; id: string; node: string; until: number }) =>
  q
    .selectFrom('subscriber_notices')
    .select('after_num')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('claimed_by', '=', node)
    .where('due_at', '=', until),
)

/** The next few to tell: first those whose turn it is again, then those who follow. Undefined if the claim has ended. */
export function* takeChunk(claim: Claim, now: number, size: number): DbWork<Chunk | undefined> {
  const { orgId, id, pageId, createdAt, afterNum } = claim
  if ((yield* first(cursorOf, claim)) === undefined) return undefined
  const again = yield* all(dueAgain, { orgId, id, now, limit: size })
  const room = size - again.length
  const fresh = room === 0 ? [] : yield* all(next, { orgId, pageId, afterNum, createdAt, limit: room })
  const isHere = ({ state }: { state: string }): boolean => state === 'CONFIRMED'
  return {
    recipients: [
      ...again.filter(isHere).map(({ state: _, ...retry }) => ({ ...retry, orgId })),
      ...fresh.map((subscriber) => ({ ...subscriber, orgId, attempts: 0 })),
    ],
    inactive: again.filter((retry) => !isHere(retry)).map(({ num }) => num),
    afterNum: fresh.at(-1)?.num ?? afterNum,
    isLast: room > 0 && fresh.length < room,
  }
}
