import { MINUTE_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type Claimed, Queue } from '../../storage/queue/queue.ts'
import type { DomainClaimTable } from '../../storage/schema/status-pages.ts'
import { claimForUpdate, loseDomain, notifyPage } from './claims.ts'
import { type ClaimState, judgeProof, type ProofState } from './judge.ts'
import type { ProofFinding } from './proof.ts'

/**
 * Domains that are due for a check, one node at a time each. The lease is much longer than a check takes, and short enough
 * that the claims of a dead node need no other release.
 */
export const domainQueue = new Queue({
  table: 'status_page_domains',
  key: ['domain'],
  due: 'next_check_at',
  leaseMs: MINUTE_MS,
  columns: ['org_id', 'page_id'],
})

export type DomainClaim = Claimed<'status_page_domains', 'domain', 'org_id' | 'page_id'>

/** What a check changed. */
export type CheckOutcome = 'unchanged' | 'verified' | 'failing' | 'unproven' | 'released'

/** Saves a check. The caller has locked the page and the claim. */
export function* saveCheck(claim: DomainClaimTable, finding: ProofFinding, now: number): DbWork<CheckOutcome> {
  const { domain } = claim
  const key = { orgId: claim.org_id, pageId: claim.page_id }
  const verdict = judgeProof(claim, finding, now)
  if (verdict.do === 'release') {
    yield* loseDomain(key, domain, 'EXPIRED', now)
    return 'released'
  }
  const saved = { ...verdict.state, claimed_by: null }
  yield* execute(q.updateTable('status_page_domains').set(saved).where('domain', '=', domain))
  // Also if the state is the same: open dashboards show when the domain was last checked, and what was found.
  yield* notifyPage(key)
  return outcomeOf(claim, verdict.state)
}

/** Saves a check of the queue and ends the lease. Nothing is saved if the claim was changed meanwhile. */
export function* settleCheck(lease: DomainClaim, finding: ProofFinding, now: number): DbWork<CheckOutcome> {
  const claim = yield* claimForUpdate({ orgId: lease.org_id, pageId: lease.page_id }, lease.domain)
  if (claim?.claimed_by !== lease.node || claim.next_check_at !== lease.until) return 'unchanged'
  return yield* saveCheck(claim, finding, now)
}

function outcomeOf(before: ProofState, after: ClaimState): CheckOutcome {
  if (after.verified_at === null) return before.verified_at === null ? 'unchanged' : 'unproven'
  if (after.failing_since !== null) return before.failing_since === null ? 'failing' : 'unchanged'
  return before.verified_at === null || before.failing_since !== null ? 'verified' : 'unchanged'
}
