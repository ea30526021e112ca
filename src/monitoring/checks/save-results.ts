import type { Sample } from '../../contract/probe.ts'
import { batch, changedByEach } from '../../storage/batch.ts'
import { type DbWork, notifyWatchers, q } from '../../storage/query.ts'
import { type Reason, storeReasons } from '../check-results/reasons.ts'
import { storeBlocks } from '../check-results/store.ts'
import { countFailure, openIncident, resolveIncident } from '../incidents/queries.ts'
import type { Failure } from '../incidents/types.ts'
import { storeDetails } from '../monitor-details/store.ts'
import { maintenanceCoverage } from '../monitor-states/maintenance.ts'
import { storeHours } from '../monitor-states/rollups.ts'
import { type StateUpdate, saveStates } from '../monitor-states/save.ts'
import { excludeUnmonitoredTime } from '../monitor-states/unmonitored-time.ts'
import type { Claim } from './claim.ts'
import {
  type Decision,
  decide,
  decideInconclusive,
  dueAfterInconclusive,
  type Recorded,
  roundedResponseMs,
} from './decide.ts'
import { emitCheckEvents } from './emit-check-events.ts'
export interface CheckResult {
  readonly claim: Claim
  readonly sample: Sample
  /** When the check ended. */
  readonly at: number
}

/**
 * The state that was written · `unchanged`: the check was inconclusive · `stale`: nothing was written, because the
 * monitor was paused, edited, deleted or claimed again during the check.
 */
export type SaveOutcome = StateUpdate | 'unchanged' | 'stale'

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
  const decisions = results.map((result): Decision | Recorded | undefined => {
    const { claim, sample, at } = result
    if (sample.outcome === 'inconclusive') return decideInconclusive(claim, sample.reason, at)
    return decide(claim, sample, at, coverage(claim.orgId, claim.num))
  })
  const decided = decisions.filter((decision) => decision !== undefined)
  const isSaved = yield* saveStates(decided.map(({ update }) => update))
  const stored = decided.filter((_, i) => isSaved[i])
  const unrecorded = results.filter((_, i) => decisions[i] === undefined)
  const isPostponed = yield* retrySoon(unrecorded)
  yield* storeBlocks(
    stored.flatMap(({ claim: { num, keepDays }, toStore }) => toStore.map((block) => ({ ...block, num, keepDays }))),
  )
  yield* storeReasons(stored.flatMap(reasonOf))
  const saved = stored.filter((decision) => 'verdict' in decision)
  yield* storeHours(
    saved
      .filter(({ closed }) => closed.length > 0)
      .map(({ claim: { orgId, num }, closed }) => ({ orgId, num, closed })),
  )
  // In one order of organizations in every transaction: two that lock the same rows cannot deadlock.
  for (const decision of saved.filter(hasConsequences).sort(byOrganization)) yield* saveConsequences(decision, baseUrl)
  yield* notifyWatchers(
    ...stored.map(({ claim: { orgId, monitorId: id } }) => ({ orgId, kind: 'monitor' as const, id })),
  )
  const outcomes = new Map<CheckResult, SaveOutcome>()
  results
    .filter((_, i) => decisions[i] !== undefined)
    .forEach((result, i) => void outcomes.set(result, isSaved[i] ? (decided[i] as Decision).update : 'stale'))
  unrecorded.forEach((result, i) => void outcomes.set(result, isPostponed[i] ? 'unchanged' : 'stale'))
  return results.map((result) => outcomes.get(result) as SaveOutcome)
}

function reasonOf(decision: Decision | Recorded): Reason[] {
  const { num, keepDays } = decision.claim
  const { at } = decision
  if (!('verdict' in decision)) return [{ num, at, code: null, error: decision.reason, keepDays }]
  const { sample } = decision
  return sample.outcome === 'failure' ? [{ num, at, code: sample.code, error: sample.error, keepDays }] : []
}

function byOrganization(a: Decision, b: Decision): number {
  return a.claim.orgId < b.claim.orgId ? -1 : a.claim.orgId > b.claim.orgId ? 1 : 0
}

/** False for most checks: they find what the check before them found. */
function hasConsequences(decision: Decision): boolean {
  const { events, details } = decision
  return affectsIncident(decision) || events.length > 0 || details !== null
}

function affectsIncident({ claim, sample }: Decision): boolean {
  return sample.outcome === 'failure' || claim.openIncident !== null
}

function* saveConsequences(decision: Decision, baseUrl: string): DbWork<void> {
  const { claim, details, at } = decision
  if (affectsIncident(decision)) yield* saveIncident(decision)
  if (details !== null) yield* storeDetails(claim, details, at)
  yield* emitCheckEvents(decision, baseUrl)
}

function* saveIncident({ claim, update, sample, at, failingSince }: Decision): DbWork<void> {
  const { orgId, num, openIncident: open } = claim
  yield* excludeUnmonitoredTime(orgId, open, claim.current, failingSince)
  if (sample.outcome === 'success') {
    if (open !== null) yield* resolveIncident(orgId, open, at, 'Check succeeded')
  } else if (update.openIncident !== null) {
    if (open !== null) yield* countFailure(orgId, open, failureOf(sample, at))
    else yield* openIncident(orgId, update.openIncident, num, sample.code, failureOf(sample, failingSince))
  }
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

interface Rescheduled {
  orgId: string
  num: number
  revision: number
  nextCheckAt: number | null
}

const rescheduledTypes = { orgId: 'text', num: 'bigint', revision: 'bigint', nextCheckAt: 'bigint' } as const

const reschedule = batch<Rescheduled, { i: number }>(rescheduledTypes, (c, rows) => {
  const updated = q
    .updateTable('monitor_states as s')
    .set({ next_check_at: c.nextCheckAt })
    .where('s.num', '=', c.num)
    .where('s.org_id', '=', c.orgId)
    .where('s.revision', '=', c.revision)
  return (rows === undefined ? updated : updated.from(rows.table).returning(rows.index)) as typeof updated
})

/** After an inconclusive check the state stays and the check is repeated soon. False where the claim is stale. */
function retrySoon(results: readonly CheckResult[]): DbWork<readonly boolean[]> {
  return changedByEach(
    reschedule,
    results.map(({ claim, at }) => {
      const { orgId, num, revision } = claim
      return { orgId, num, revision, nextCheckAt: dueAfterInconclusive(claim, at) }
    }),
  )
}
