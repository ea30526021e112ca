import type { Sample } from '../../contract/probe.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import { type CheckEvidence, type CheckReason, storeReasons } from '../check-results/reasons.ts'
import { storeBlocks } from '../check-results/store.ts'
import { evidenceOf as storedEvidenceOf, storeGoodCheck, storeIncidentEvidence } from '../evidence/store.ts'
import { incidentEvidence } from '../evidence/summarize.ts'
import { seenBy } from '../evidence/track.ts'
import { countFailure, openIncident, resolveIncident } from '../incidents/queries.ts'
import type { Failure } from '../incidents/render.ts'
import { storeDetails } from '../monitor-details/store.ts'
import { maintenanceCoverage } from '../monitor-states/maintenance.ts'
import { storeHours } from '../monitor-states/rollups.ts'
import { type StateUpdate, saveStates } from '../monitor-states/save.ts'
import { excludeUnmonitoredTime } from '../monitor-states/unmonitored-time.ts'
import {
  type AppliedInconclusive,
  type AppliedSample,
  applyInconclusive,
  applySample,
  roundedResponseMs,
} from './apply-sample.ts'
import type { Claim } from './claim.ts'
import { emitCheckEvents } from './emit-check-events.ts'

export interface CheckResult {
  readonly claim: Claim
  readonly sample: Sample
  /** When the check ended. */
  readonly at: number
}

/**
 * The state that was written · `stale`: nothing was written, because the monitor was paused, edited, deleted or claimed
 * again during the check.
 */
export type SaveOutcome = StateUpdate | 'stale'

export function* saveResult(result: CheckResult, baseUrl: string): DbWork<SaveOutcome> {
  return (yield* saveResults([result], baseUrl))[0] as SaveOutcome
}

/**
 * Writes results, states, incidents, roll-ups and events of these checks in one transaction. Everything is decided from
 * what the claims read; a monitor is written only if it is still at the revision of its claim. `baseUrl` is the public
 * address that events link to. The outcomes are in the order of the results.
 */
export function* saveResults(results: readonly CheckResult[], baseUrl: string): DbWork<readonly SaveOutcome[]> {
  const coverage = yield* maintenanceCoverage(
    results.map(({ claim: { orgId, memory }, at }) => ({ orgId, memory, at })),
  )
  const applied = results.map(({ claim, sample, at }): AppliedSample | AppliedInconclusive => {
    if (sample.outcome === 'inconclusive') return applyInconclusive(claim, sample.reason, at)
    return applySample(claim, sample, at, coverage(claim.orgId, claim.num))
  })
  const isSaved = yield* saveStates(applied.map(({ update }) => update))
  const saved = applied.filter((_, i) => isSaved[i])
  yield* storeBlocks(
    saved.flatMap(({ claim: { num, keepDays }, toStore }) => toStore.map((block) => ({ ...block, num, keepDays }))),
  )
  yield* storeReasons(saved.flatMap(reasonOf))
  const conclusive = saved.filter((one) => 'verdict' in one)
  yield* storeHours(
    conclusive
      .filter(({ closed }) => closed.length > 0)
      .map(({ claim: { orgId, num }, closed }) => ({ orgId, num, closed })),
  )
  // In one order of organizations in every transaction: two that lock the same rows cannot deadlock.
  for (const one of conclusive.filter(hasConsequences).sort(byOrganization)) yield* saveConsequences(one, baseUrl)
  const changed = saved.filter((one) => 'verdict' in one || one.reason !== null)
  yield* notifyWatchers(
    ...changed.map(({ claim: { orgId, monitorId: id } }) => ({ orgId, kind: 'monitor' as const, id })),
  )
  return applied.map(({ update }, i) => (isSaved[i] ? update : 'stale'))
}

/** Why a check failed, was inconclusive, or made the monitor DEGRADED by an assertion, with its phases and failed tries. */
function reasonOf(applied: AppliedSample | AppliedInconclusive): CheckReason[] {
  const { num, keepDays } = applied.claim
  const { at } = applied
  if (!('verdict' in applied))
    return applied.reason === null ? [] : [{ num, at, code: null, error: applied.reason, keepDays }]
  const { sample, verdict } = applied
  const isRepaired = verdict.state === 'UP' && sample.tries !== undefined
  if (verdict.state === 'UP' && !isRepaired) return []
  const evidence = evidenceOf(sample, at)
  if (sample.outcome === 'failure') return [{ num, at, code: sample.code, error: sample.error, evidence, keepDays }]
  if (verdict.recoveries > 0) {
    const { recoverySuccesses } = applied.claim.settings
    const error = reason('recovering', { count: verdict.recoveries, total: String(recoverySuccesses) })
    return [{ num, at, code: null, error, evidence, keepDays }]
  }
  const { degraded } = sample
  const repaired = isRepaired && { repaired: { responseMs: roundedResponseMs(sample) } }
  if (degraded !== undefined) return [{ num, at, code: 'KEYWORD', error: degraded, evidence, keepDays }]
  if (Object.keys(evidence).length === 0) return []
  return [{ num, at, code: null, error: null, evidence, ...repaired, keepDays }]
}

function evidenceOf({ timings, tries }: AppliedSample['sample'], at: number): CheckEvidence {
  return {
    ...(timings && { phases: timings }),
    ...(tries && { tries: tries.map(({ agoMs, code, error }) => ({ at: at - agoMs, causeCode: code, error })) }),
  }
}

function byOrganization(a: AppliedSample, b: AppliedSample): number {
  return a.claim.orgId < b.claim.orgId ? -1 : a.claim.orgId > b.claim.orgId ? 1 : 0
}

/** False for most checks: they find what the check before them found. */
function hasConsequences(applied: AppliedSample): boolean {
  const { events, details, good } = applied
  return affectsIncident(applied) || events.length > 0 || details !== null || good !== null
}

function affectsIncident({ claim, sample }: AppliedSample): boolean {
  return sample.outcome === 'failure' || claim.openIncident !== null
}

function* saveConsequences(applied: AppliedSample, baseUrl: string): DbWork<void> {
  const { claim, details, good, at } = applied
  if (affectsIncident(applied)) yield* saveIncident(applied)
  if (details !== null) yield* storeDetails(claim, details, at)
  if (good !== null) yield* storeGoodCheck(claim, good, at)
  yield* emitCheckEvents(applied, baseUrl)
}

function* saveIncident(applied: AppliedSample): DbWork<void> {
  const { claim, update, sample, verdict, at, failingSince } = applied
  const { orgId, num, openIncident: open } = claim
  yield* excludeUnmonitoredTime(orgId, open, claim.current, failingSince)
  if (sample.outcome === 'success') {
    if (open !== null && verdict.incident === 'resolve')
      yield* resolveIncident(orgId, open, at, reason('check_succeeded'))
  } else if (update.openIncident !== null) {
    if (open !== null) yield* countFailure(orgId, open, failureOf(sample, at))
    else {
      yield* openIncident(orgId, update.openIncident, num, sample.code, failureOf(sample, failingSince))
      yield* saveEvidence(applied, sample, update.openIncident)
    }
  }
}

function* saveEvidence(
  { claim: { orgId, num, current, memory }, failingSince }: AppliedSample,
  sample: Extract<Sample, { outcome: 'failure' }>,
  incidentId: string,
): DbWork<void> {
  const stored = yield* storedEvidenceOf(orgId, num)
  const wasGood = current.state === 'UP' || current.state === 'DEGRADED'
  const lastGoodAt = wasGood ? current.last_checked_at : (stored?.at ?? null)
  const evidence = incidentEvidence(stored, memory.evidence, lastGoodAt, {
    at: failingSince,
    code: sample.code,
    error: sample.error,
    fields: seenBy(sample),
    phases: sample.timings ?? {},
  })
  yield* storeIncidentEvidence(orgId, incidentId, evidence)
}

function failureOf(sample: Extract<Sample, { outcome: 'failure' }>, at: number): Failure {
  return {
    at,
    statusCode: sample.statusCode ?? null,
    responseMs: roundedResponseMs(sample),
    error: sample.error,
    ip: sample.ip ?? null,
    excerpt: sample.excerpt ?? null,
  }
}
