import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/clock.ts'
import type { DomainClaimTable } from '../../storage/schema/status-pages.ts'
import type { ProofFinding } from './proof.ts'

/** An unproven claim ends after this time, so that it cannot block the owner of the domain. */
export const CLAIM_LIFE_MS = 7 * DAY_MS
/** A page is still served for this long after its proof went missing. */
export const GRACE_MS = 3 * DAY_MS

const VERIFIED_INTERVAL_MS = 6 * HOUR_MS
const FAILING_INTERVAL_MS = HOUR_MS
const UNKNOWN_INTERVAL_MS = 5 * MINUTE_MS

/** Between checks of an unproven claim by its age: often while somebody is setting it up. */
function waitingIntervalMs(ageMs: number): number {
  if (ageMs < HOUR_MS) return MINUTE_MS
  return ageMs < DAY_MS ? 10 * MINUTE_MS : HOUR_MS
}

/** The columns that a check changes. */
export type ClaimState = Pick<
  DomainClaimTable,
  'verified_at' | 'checked_at' | 'failing_since' | 'expires_at' | 'found' | 'check_error' | 'next_check_at'
>
export type ProofState = Pick<ClaimState, 'verified_at' | 'checked_at' | 'failing_since' | 'expires_at' | 'found'>

export type ProofVerdict =
  | { readonly do: 'save'; readonly state: ClaimState }
  /** The page loses the domain. */
  | { readonly do: 'release' }

/** What follows from a check. A finding without a definite answer changes nothing but the time of the next check. */
export function judgeProof(before: ProofState, finding: ProofFinding, now: number): ProofVerdict {
  if (finding.kind === 'proven') return { do: 'save', state: proven(before, now) }
  if (finding.kind === 'unknown') return { do: 'save', state: unknown(before, finding.reason, now) }
  const checked = { checked_at: now, found: JSON.stringify(finding.found), check_error: null }
  if (before.verified_at !== null) return { do: 'save', state: { ...checked, ...failing(before, now) } }
  const expiresAt = before.expires_at ?? now + CLAIM_LIFE_MS
  if (now >= expiresAt) return { do: 'release' }
  return {
    do: 'save',
    state: { ...checked, ...waiting(expiresAt, now), failing_since: before.failing_since },
  }
}

function proven(before: ProofState, now: number): ClaimState {
  return {
    verified_at: before.verified_at ?? now,
    checked_at: now,
    failing_since: null,
    expires_at: null,
    found: null,
    check_error: null,
    next_check_at: now + VERIFIED_INTERVAL_MS,
  }
}

function unknown(before: ProofState, reason: string, now: number): ClaimState {
  const { verified_at, checked_at, failing_since, found } = before
  const expires_at = verified_at === null ? (before.expires_at ?? now + CLAIM_LIFE_MS) : null
  return {
    verified_at,
    checked_at,
    failing_since,
    found,
    expires_at,
    check_error: reason,
    next_check_at: now + UNKNOWN_INTERVAL_MS,
  }
}

/** After the grace period the page is no longer served, and the claim ends like one that was never proven. */
function failing(before: ProofState, now: number) {
  const since = before.failing_since ?? now
  const graceEndsAt = since + GRACE_MS
  if (now >= graceEndsAt) return { failing_since: since, ...waiting(now + CLAIM_LIFE_MS, now) }
  const next_check_at = Math.min(now + FAILING_INTERVAL_MS, graceEndsAt)
  return { verified_at: before.verified_at, failing_since: since, expires_at: null, next_check_at }
}

function waiting(expiresAt: number, now: number) {
  const ageMs = now - (expiresAt - CLAIM_LIFE_MS)
  const next_check_at = Math.min(now + waitingIntervalMs(ageMs), expiresAt)
  return { verified_at: null, expires_at: expiresAt, next_check_at }
}

/** A page with a proof takes the domain from a page without one. */
export function canBeTakenOver({
  verified_at,
  failing_since,
}: Pick<DomainClaimTable, 'verified_at' | 'failing_since'>): boolean {
  return verified_at === null || failing_since !== null
}
