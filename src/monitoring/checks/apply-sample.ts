import { SECOND_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Reason } from '../../reasons/reason.ts'
import { type GoodCheck, trackGood } from '../evidence/track.ts'
import { isWithin } from '../maintenance-coverage/coverage.ts'
import type { Span } from '../maintenance-coverage/types.ts'
import type { DetailsChange } from '../monitor-details/types.ts'
import { type Accrued, accrue, type ClosedHour, categoryOf, countCheck } from '../monitor-states/ledger.ts'
import type { Memory } from '../monitor-states/memory.ts'
import { addResult, type Block } from '../monitor-states/result-log.ts'
import type { StateUpdate } from '../monitor-states/save.ts'
import { heartbeatDeadline, nextCheckAt as nextScheduled, periodMs, stateValidMs } from '../monitor-states/schedule.ts'
import { type CheckEvent, checkEvents } from './check-events.ts'
import type { Claim } from './claim.ts'
import { detailsToStore, trackDnsRecords } from './dns-records.ts'
import { type ConclusiveSample, judge, type Verdict } from './judge.ts'

/** Everything that follows from one check. */
export interface AppliedSample {
  readonly claim: Claim
  readonly sample: ConclusiveSample
  readonly at: number
  /** For a failure: when its first try began. An incident that the check opens starts then. Otherwise `at`. */
  readonly failingSince: number
  readonly verdict: Verdict
  readonly update: StateUpdate
  /** Results that leave the state row with this check. */
  readonly toStore: readonly Block[]
  /** Hours that the ledger closed with this check. */
  readonly closed: readonly ClosedHour[]
  readonly events: readonly CheckEvent[]
  readonly inMaintenance: boolean
  /** What to store for the monitor page; null if it is stored already. */
  readonly details: DetailsChange | null
  /** What a good check found that differs from the one before. */
  readonly good: GoodCheck | null
}

/** `maintenance`: when the monitor is in maintenance, from the end of its ledger up to `at`. */
export function applySample(
  claim: Claim,
  sample: ConclusiveSample,
  at: number,
  maintenance: readonly Span[],
): AppliedSample {
  const { orgId, num, revision, settings, current, memory: before, openIncident } = claim
  const inMaintenance = isWithin(maintenance, at)
  const prior = {
    state: current.state,
    samples: before.samples,
    hasIncident: openIncident !== null,
    recoveries: before.recoveries,
    announcedExpiry: before.announcedExpiry,
  }
  const verdict = judge(prior, sample, settings, at, inMaintenance)
  const responseMs = roundedResponseMs(sample)
  const failed = sample.outcome === 'failure'
  const failingSince = failed ? failureStart(claim, at, maintenance) : at
  const { ledger, closed } = account(claim, failingSince, at, maintenance)
  const records = trackDnsRecords(before.records, failed ? undefined : sample.records, at)
  const details = detailsToStore(before.details, sample, records)
  const tracked = failed ? { memory: before.evidence, good: null } : trackGood(before.evidence, sample)
  const { state } = verdict
  const { log, toStore } = addResult(before.results, { at, state, responseMs })
  const memory: Memory = {
    ledger: countCheck(ledger, failed, responseMs),
    samples: verdict.samples,
    recoveries: verdict.recoveries,
    announcedExpiry: verdict.expiring?.fingerprint ?? before.announcedExpiry,
    heartbeats: before.heartbeats,
    records: records.memory,
    details: details?.key ?? before.details,
    results: log,
    inconclusiveAt: before.inconclusiveAt,
    evidence: tracked.memory,
  }
  const nextCheckAt = dueAfterCheck(claim, memory, at)
  const update: StateUpdate = {
    orgId,
    num,
    revision,
    fields: {
      state,
      last_checked_at: at,
      last_status_changed_at: state === current.state ? current.last_status_changed_at : failingSince,
      last_response_ms: responseMs ?? current.last_response_ms,
      cert_expires_at: sample.certificate?.expiresAt ?? current.cert_expires_at,
    },
    memory,
    nextCheckAt,
    openIncident: incidentAfter(claim, verdict, at),
    editionIncrement: 0,
    unassign: isSooner(nextCheckAt, claim.dueAt) ? 1 : 0,
  }
  const recordsChanged = records.verdict === 'changed' && settings.dnsAlertOnChange
  const events = checkEvents({ type: settings.type, before: current.state, verdict, recordsChanged })
  return {
    claim,
    sample,
    at,
    failingSince,
    verdict,
    update,
    toStore,
    closed,
    events,
    inMaintenance,
    details,
    good: tracked.good,
  }
}

/**
 * The check began with its first try; that of a heartbeat takes no time. Not before what is accounted for, and not within
 * maintenance, where no incident begins.
 */
function failureStart({ settings, startedAt, memory }: Claim, at: number, maintenance: readonly Span[]): number {
  if (settings.type === 'CRON') return at
  const start = Math.min(at, Math.max(startedAt, memory.ledger.accountedUntil))
  return isWithin(maintenance, start) ? at : start
}

/** The time up to the first failed try belongs to the state before the check; the repeats that failed too are down time. */
function account(
  { settings, current, memory }: Claim,
  failingSince: number,
  at: number,
  maintenance: readonly Span[],
): Accrued {
  const before = categoryOf(current.state)
  const first = accrue(
    memory.ledger,
    failingSince,
    before,
    stateValidMs(settings, memory.ledger.accountedUntil),
    maintenance,
  )
  if (failingSince === at) return first
  const { ledger, closed } = accrue(first.ledger, at, 'down', at - failingSince, maintenance)
  return { ledger, closed: [...first.closed, ...closed] }
}

/** A CRON monitor is due at its heartbeat deadline, and once that has passed, one period later each time, with a schedule after each run. */
function dueAfterCheck({ num, settings, startedAt }: Claim, { heartbeats }: Memory, at: number): number | null {
  if (settings.type !== 'CRON') return nextScheduled(num, periodMs(settings, at), { startedAt, endedAt: at })
  const deadline = heartbeatDeadline(settings, heartbeats)
  if (deadline === null || deadline > at) return deadline
  const graceMs = settings.schedule === undefined ? 0 : settings.graceSeconds * SECOND_MS
  return at + periodMs(settings, at) + graceMs
}

/** Only after a heartbeat or a check by a user: a scheduled check moves the due time on. */
function isSooner(dueAt: number | null, before: number | null): boolean {
  return dueAt !== null && (before === null || dueAt < before)
}

/** The id of the incident that is open after this check. */
function incidentAfter({ openIncident }: Claim, { incident }: Verdict, at: number): string | null {
  return incident === 'open' ? newId('inc', at) : incident === 'continue' ? openIncident : null
}

export function roundedResponseMs({ responseMs }: ConclusiveSample): number | null {
  return responseMs === undefined ? null : Math.round(responseMs)
}

/** What follows from an inconclusive check. */
export interface AppliedInconclusive {
  readonly claim: Claim
  readonly at: number
  /** Null if the check is not stored. */
  readonly reason: Reason | null
  readonly update: StateUpdate
  readonly toStore: readonly Block[]
}

/** An inconclusive check leaves the state as it is and is repeated soon. Only one per period is stored. */
export function applyInconclusive(claim: Claim, reason: Reason, at: number): AppliedInconclusive {
  const { orgId, num, revision, settings, current, openIncident, memory: before } = claim
  // A scheduled check under way is stale now, and its node would wait for its end.
  const unassign = claim.byUser ? 1 : 0
  const unchanged = { orgId, num, revision, openIncident, fields: current, editionIncrement: 0, unassign } as const
  const nextCheckAt = dueAfterInconclusive(claim, at)
  const { inconclusiveAt } = before
  if (inconclusiveAt !== null && inconclusiveAt <= at && at < inconclusiveAt + periodMs(settings, inconclusiveAt))
    return { claim, at, reason: null, toStore: [], update: { ...unchanged, memory: before, nextCheckAt } }
  const { log, toStore } = addResult(before.results, { at, state: 'INCONCLUSIVE', responseMs: null })
  const memory: Memory = { ...before, results: log, inconclusiveAt: at }
  return { claim, at, reason, toStore, update: { ...unchanged, memory, nextCheckAt } }
}

/** Short enough that one inconclusive check delays the next result by less than 15 s. */
const INCONCLUSIVE_RETRY_MS = 10 * SECOND_MS

/** When a check is repeated that ended inconclusively at `at`. One that a user asked for does not bring the next one forward. */
function dueAfterInconclusive({ settings, memory, dueAt }: Claim, at: number): number | null {
  if (settings.type === 'CRON') return heartbeatDeadline(settings, memory.heartbeats)
  return Math.max(dueAt ?? 0, at + Math.min(INCONCLUSIVE_RETRY_MS, periodMs(settings, at)))
}
