import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Claimed } from '../../storage/queue/queue.ts'
import type { DomainClaimTable } from '../../storage/schema/status-pages.ts'
import { loseDomain, notifyPage } from './claims.ts'
import { type ClaimState, judgeProof, type ProofState } from './judge.ts'
import type { ProofFinding } from './proof.ts'
import { domainQueue } from './queue.ts'

export type DomainClaim = Claimed<
  'status_page_domains',
  'domain',
  'org_id' | 'page_id' | 'verified_at' | 'checked_at' | 'failing_since' | 'expires_at' | 'found'
>

/** What a check changed. `superseded`: the claim was changed meanwhile, so nothing was saved. */
export type CheckOutcome = 'unchanged' | 'verified' | 'failing' | 'unproven' | 'released' | 'superseded'

/** Saves a check that a user asked for. The caller has locked the page and the claim. */
export function saveCheck(claim: DomainClaimTable, finding: ProofFinding, now: number): DbWork<CheckOutcome> {
  const { domain, page_id: pageId } = claim
  return apply(claim, finding, now, {
    save: (state) =>
      execute(
        q
          .updateTable('status_page_domains')
          .set({ ...state, claimed_by: null })
          .where('domain', '=', domain)
          .where('page_id', '=', pageId)
          .returning('domain'),
      ),
    *remove() {
      const removed = q.deleteFrom('status_page_domains').where('domain', '=', domain).where('page_id', '=', pageId)
      return (yield* execute(removed.returning('domain'))).length === 1
    },
  })
}

/** Saves a check of the queue and ends the lease. */
export function settleCheck(claim: DomainClaim, finding: ProofFinding, now: number): DbWork<CheckOutcome> {
  return apply(claim, finding, now, {
    save: (state) =>
      execute(
        domainQueue
          .updateClaimed(claim)
          .set({ ...state, claimed_by: null })
          .returning('domain'),
      ),
    remove: () => domainQueue.remove(claim),
  })
}

interface Writes {
  /** Returns the claim, unless it was changed meanwhile. */
  readonly save: (state: ClaimState) => DbWork<readonly unknown[]>
  readonly remove: () => DbWork<boolean>
}

type JudgedClaim = ProofState & Pick<DomainClaimTable, 'domain' | 'org_id' | 'page_id'>

function* apply(claim: JudgedClaim, finding: ProofFinding, now: number, writes: Writes): DbWork<CheckOutcome> {
  const key = { orgId: claim.org_id, pageId: claim.page_id }
  const verdict = judgeProof(claim, finding, now)
  if (verdict.do === 'release') {
    const isLost = yield* loseDomain(key, claim.domain, { reason: 'EXPIRED', now, remove: writes.remove })
    return isLost ? 'released' : 'superseded'
  }
  if ((yield* writes.save(verdict.state)).length === 0) return 'superseded'
  // Also if the state is the same: open dashboards show when the domain was last checked, and what was found.
  yield* notifyPage(key)
  return outcomeOf(claim, verdict.state)
}

function outcomeOf(before: ProofState, after: ClaimState): CheckOutcome {
  if (after.verified_at === null) return before.verified_at === null ? 'unchanged' : 'unproven'
  if (after.failing_since !== null) return before.failing_since === null ? 'failing' : 'unchanged'
  return before.verified_at === null || before.failing_since !== null ? 'verified' : 'unchanged'
}
