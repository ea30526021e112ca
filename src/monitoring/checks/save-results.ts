import type { Sample } from '../../contract/probe.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { batch, changedByEach } from '../../storage/batch.ts'
import { type DbWork, notifyWatchers, q } from '../../storage/query.ts'
import { countFailure, openIncident, resolveIncident } from '../incidents/queries.ts'
import type { Failure } from '../incidents/types.ts'
import { storeDetails } from '../monitor-details/store.ts'
import { maintenanceCoverage } from '../monitor-states/maintenance.ts'
import { storeHours } from '../monitor-states/rollups.ts'
import { type StateUpdate, saveStates } from '../monitor-states/save.ts'
import { heartbeatDeadline, periodMs } from '../monitor-states/schedule.ts'
import { excludeUnmonitoredTime } from '../monitor-states/unmonitored-time.ts'
import type { Claim } from './claim.ts'
import { type Decision, decide, roundedResponseMs } from './decide.ts'
import { emitCheckEvents } from './emit-check-events.ts'
import {
  type InconclusiveCheck,
  type NotableResult,
  recordInconclusive,
  recordNotableResults,
} from './notable-results.ts'
import { appendResults, type RawResult } from './raw-results.ts'

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
  const outcomes = new Map<CheckResult, SaveOutcome>()
  const decisions: Decision[] = []
  const decided: CheckResult[] = []
  const inconclusive: CheckResult[] = []
  for (const result of results) {
    const { claim, sample, at } = result
    if (sample.outcome === 'inconclusive') inconclusive.push(result)
    else {
      decided.push(result)
      decisions.push(decide(claim, sample, at, coverage(claim.orgId, claim.num)))
    }
  }
  const written = yield* saveStates(decisions.map(({ update }) => update))
  decisions.forEach(({ update }, i) => {
    outcomes.set(decided[i] as CheckResult, written[i] ? update : 'stale')
  })
  const rescheduled = yield* retrySoon(inconclusive)
  inconclusive.forEach((result, i) => {
    outcomes.set(result, rescheduled[i] ? 'unchanged' : 'stale')
  })
  const saved = decisions.filter((_, i) => written[i])
  yield* appendResults(saved.map(rawResultOf))
  yield* recordNotableResults(saved.flatMap(notableResultOf))
  const recorded = yield* recordInconclusive(inconclusive.filter((_, i) => rescheduled[i]).map(inconclusiveOf))
  yield* storeHours(
    saved
      .filter(({ closed }) => closed.length > 0)
      .map(({ claim: { orgId, num }, closed }) => ({ orgId, num, closed })),
  )
  // In one order of organizations in every transaction: two that lock the same rows cannot deadlock.
  for (const decision of saved.filter(hasConsequences).sort(byOrganization)) yield* saveConsequences(decision, baseUrl)
  const seen = [...saved, ...recorded].map(({ claim }) => claim)
  yield* notifyWatchers(...seen.map(({ orgId, monitorId: id }) => ({ orgId, kind: 'monitor', id })))
  return results.map((result) => outcomes.get(result) as SaveOutcome)
}

function rawResultOf({ claim, verdict, sample, at }: Decision): RawResult {
  return { num: claim.num, at, state: verdict.state, responseMs: roundedResponseMs(sample), keepDays: claim.keepDays }
}

function notableResultOf({ claim: { num, keepDays }, verdict: { state }, sample, at }: Decision): NotableResult[] {
  if (state === 'UP') return []
  const failure = sample.outcome === 'failure' ? sample : undefined
  const [code, error] = [failure?.code ?? null, failure?.error ?? null]
  return [{ num, at, state, responseMs: roundedResponseMs(sample), code, error, keepDays }]
}

function inconclusiveOf({ claim, sample, at }: CheckResult): InconclusiveCheck & { readonly claim: Claim } {
  const reason = sample.outcome === 'inconclusive' ? sample.reason : ''
  return { num: claim.num, at, reason, periodMs: periodMs(claim.settings), keepDays: claim.keepDays, claim }
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

/** Short enough that one inconclusive check delays the next result by less than 15 s. */
const INCONCLUSIVE_RETRY_MS = 10 * SECOND_MS

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

/** When a check is repeated that ended inconclusively at `at`. One that a user asked for does not bring the next one forward. */
export function dueAfterInconclusive({ settings, memory, dueAt }: Claim, at: number): number | null {
  if (settings.type === 'CRON') return heartbeatDeadline(settings, memory.heartbeats)
  return Math.max(dueAt ?? 0, at + Math.min(INCONCLUSIVE_RETRY_MS, periodMs(settings)))
}
