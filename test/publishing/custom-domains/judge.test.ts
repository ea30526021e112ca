import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import {
  CLAIM_LIFE_MS,
  type ClaimState,
  canBeTakenOver,
  GRACE_MS,
  judgeProof,
  type ProofVerdict,
} from '../../../src/publishing/custom-domains/judge.ts'
import type { ProofFinding } from '../../../src/publishing/custom-domains/proof.ts'

const NOW = 1_800_000_000_000
const proven: ProofFinding = { kind: 'proven' }
const missing: ProofFinding = { kind: 'missing', found: ['TXT other'] }
const unknown: ProofFinding = { kind: 'unknown', reason: 'no DNS server answered in time' }

const fresh = { verified_at: null, checked_at: null, failing_since: null, expires_at: null, found: null }

function saved(verdict: ProofVerdict): ClaimState {
  assert.equal(verdict.do, 'save')
  return (verdict as Extract<ProofVerdict, { do: 'save' }>).state
}

test('a new claim has seven days from its first check', () => {
  for (const finding of [missing, unknown]) {
    const state = saved(judgeProof(fresh, finding, NOW))
    assert.deepEqual([state.verified_at, state.expires_at], [null, NOW + CLAIM_LIFE_MS])
  }
})

test('an unproven claim is checked often at first, and at the latest when it ends', () => {
  const expires_at = NOW + CLAIM_LIFE_MS
  const nextAfter = (ageMs: number): number =>
    (saved(judgeProof({ ...fresh, expires_at }, missing, NOW + ageMs)).next_check_at ?? 0) - NOW - ageMs
  assert.equal(nextAfter(0), MINUTE_MS)
  assert.equal(nextAfter(2 * HOUR_MS), 10 * MINUTE_MS)
  assert.equal(nextAfter(2 * DAY_MS), HOUR_MS)
  assert.equal(nextAfter(CLAIM_LIFE_MS - 1000), 1000)
})

test('an unproven claim ends after seven days, but only when DNS says that there is no proof', () => {
  const old = { ...fresh, expires_at: NOW }
  assert.deepEqual(judgeProof(old, missing, NOW), { do: 'release' })
  assert.equal(saved(judgeProof(old, unknown, NOW)).verified_at, null)
  assert.equal(saved(judgeProof(old, proven, NOW)).verified_at, NOW)
})

test('a proof that is found again keeps the time of the first verification', () => {
  const failing = { ...fresh, verified_at: NOW - DAY_MS, failing_since: NOW - HOUR_MS }
  const state = saved(judgeProof(failing, proven, NOW))
  assert.deepEqual([state.verified_at, state.failing_since, state.found], [NOW - DAY_MS, null, null])
})

test('a missing proof unverifies the domain after three days, and frees it seven days later', () => {
  const verified = { ...fresh, verified_at: NOW - 30 * DAY_MS }
  const first = saved(judgeProof(verified, missing, NOW))
  assert.deepEqual([first.verified_at, first.failing_since], [verified.verified_at, NOW])
  assert.equal(first.found, '["TXT other"]')
  const late = saved(judgeProof(first, missing, NOW + GRACE_MS - 1))
  assert.equal(late.verified_at, verified.verified_at)
  assert.equal(late.next_check_at, NOW + GRACE_MS)
  const over = saved(judgeProof(late, missing, NOW + GRACE_MS))
  assert.deepEqual([over.verified_at, over.failing_since], [null, NOW])
  assert.equal(over.expires_at, NOW + GRACE_MS + CLAIM_LIFE_MS)
  const still = saved(judgeProof(over, missing, NOW + GRACE_MS + DAY_MS))
  assert.equal(still.failing_since, NOW)
  assert.equal(judgeProof(still, missing, NOW + GRACE_MS + CLAIM_LIFE_MS).do, 'release')
})

test('a check without a definite answer changes nothing that is served', () => {
  const verified = { ...fresh, verified_at: NOW - 30 * DAY_MS, checked_at: NOW - DAY_MS }
  const failing = { ...verified, failing_since: NOW - 10 * DAY_MS, found: '[]' }
  for (const before of [verified, failing]) {
    const { next_check_at, check_error, ...state } = saved(judgeProof(before, unknown, NOW))
    assert.deepEqual(state, before)
    assert.deepEqual([next_check_at, check_error], [NOW + 5 * MINUTE_MS, unknown.kind === 'unknown' && unknown.reason])
  }
})

test('only a claim without a current proof can be taken over', () => {
  assert.ok(canBeTakenOver({ verified_at: null, failing_since: null }))
  assert.ok(canBeTakenOver({ verified_at: 1, failing_since: 2 }))
  assert.ok(!canBeTakenOver({ verified_at: 1, failing_since: null }))
})
