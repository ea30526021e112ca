import { all, type DbWork, q, statement } from '../../storage/query.ts'

/** Longer than sending one message can take. Only matters for a node that hangs: claims of a dead node are released by release.ts. */
export const LEASE_MS = 180_000

/** A contact that this node alone may send to, until `until`. */
export interface Claim {
  readonly orgId: string
  readonly contactId: string
  readonly node: string
  readonly claimedAt: number
  /** The end of the lease. Together with `node` it identifies the claim. */
  readonly until: number
}

interface ClaimUpdate {
  dueBefore: number
  until: number
  node: string
  limit: number
}

const claimHealthy = statement(({ dueBefore, until, node, limit }: ClaimUpdate) =>
  claiming(until, node, due(dueBefore).where('failing_since', 'is', null).limit(limit)),
)

const claimFailing = statement(({ dueBefore, until, node, limit }: ClaimUpdate) =>
  claiming(until, node, due(dueBefore).where('failing_since', 'is not', null).limit(limit)),
)

function due(before: number) {
  // Inserting an alert takes a FOR KEY SHARE lock on its contact; NO KEY UPDATE does not conflict with it.
  return q
    .selectFrom('contacts')
    .select('id')
    .where('due_at', '<=', before)
    .orderBy('due_at')
    .forNoKeyUpdate()
    .skipLocked()
}

function claiming(until: number, node: string, ids: ReturnType<typeof due>) {
  return q
    .updateTable('contacts')
    .set({ due_at: until, claimed_by: node })
    .where('id', 'in', ids)
    .returning(['org_id', 'id'])
}

export interface ClaimRequest {
  readonly node: string
  readonly now: number
  readonly dueBefore: number
  readonly limit: number
  /** True: only contacts whose last message failed. False: only the others. */
  readonly failing: boolean
}

/** Claims due contacts, the longest due first. */
export function* claimDueContacts({ node, now, dueBefore, limit, failing }: ClaimRequest): DbWork<readonly Claim[]> {
  if (limit <= 0) return []
  const until = now + LEASE_MS
  const claimed = yield* all(failing ? claimFailing : claimHealthy, { dueBefore, until, node, limit })
  return claimed.map(({ org_id: orgId, id }) => ({ orgId, contactId: id, node, claimedAt: now, until }))
}
