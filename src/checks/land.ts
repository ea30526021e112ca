import { countFailure, openIncident, resolveIncident } from '../incidents/queries.ts'
import type { Failure } from '../incidents/types.ts'
import { SECOND_MS } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Sample } from '../probes/probe.ts'
import { q, run, statement, type Work } from '../storage/query.ts'
import { announce } from './announce.ts'
import type { Claim } from './claim.ts'
import { deadlineOf, periodMs } from './due.ts'
import { type Conclusive, judge, type Verdict } from './judge.ts'
import { spentIn, withCheck } from './ledger.ts'
import { isInMaintenance } from './maintenance.ts'
import { type Memory, withResult } from './memory.ts'
import { watchRecords } from './records.ts'
import { appendResult } from './results.ts'
import { nextCheckAt } from './schedule.ts'
import { believedMs, saveStand, settleAccount, storeHours } from './standing.ts'

/** What a check brought home, and when it ended. */
export interface Finding {
  readonly claim: Claim
  readonly sample: Sample
  readonly at: number
}

/**
 * Writes what a check found: result, state, incident, account and event, together or not at all. Everything is decided
 * from what was read with the claim, and it is written only if the monitor is still what it was then; false if it was
 * paused, edited, deleted or claimed anew since.
 */
export function* land({ claim, sample, at }: Finding): Work<boolean> {
  if (sample.outcome === 'inconclusive') return yield* tryAgain(claim, at)
  const { orgId, num, settings, standing } = claim
  const inMaintenance = yield* isInMaintenance(claim, at)
  const verdict = judge(beforeOf(claim), sample, settings, at, inMaintenance)
  const { memory, closed, recordsChanged } = remember(claim, sample, verdict, at, inMaintenance)
  const responseMs = responseOf(sample)
  const incident = incidentAfter(claim, verdict, at)
  const landed = yield* saveStand(orgId, num, claim.revision, {
    standing: {
      state: verdict.state,
      last_checked_at: at,
      last_status_changed_at: verdict.state === standing.state ? standing.last_status_changed_at : at,
      last_response_ms: responseMs ?? standing.last_response_ms,
      cert_expires_at: sample.certificate?.expiresAt ?? standing.cert_expires_at,
    },
    memory,
    nextCheckAt: nextLook(claim, memory, at),
    openIncident: incident,
  })
  if (!landed) return false
  yield* keepIncident(claim, incident, sample, at)
  yield* storeHours(orgId, num, closed)
  yield* appendResult({ num, at, state: verdict.state, responseMs }, claim.keepDays)
  yield* announce({ claim, sample, verdict, incident, recordsChanged, inMaintenance, at })
  return true
}

/** A heartbeat is looked for when it will be overdue; once it is, it is looked for again period by period. */
function nextLook({ num, settings }: Claim, { beats }: Memory, at: number): number | null {
  if (settings.type !== 'CRON') return nextCheckAt(num, periodMs(settings), at)
  const deadline = deadlineOf(settings, beats)
  return deadline === null || deadline > at ? deadline : at + periodMs(settings)
}

function beforeOf({ standing, memory, openIncident: incident }: Claim) {
  return {
    state: standing.state,
    samples: memory.samples,
    hasIncident: incident !== null,
    announced: memory.announced,
  }
}

function responseOf({ responseMs }: Conclusive): number | null {
  return responseMs === undefined ? null : Math.round(responseMs)
}

function remember(claim: Claim, sample: Conclusive, verdict: Verdict, at: number, inMaintenance: boolean) {
  const { memory: before, settings, standing } = claim
  const account = settleAccount(before, at, spentIn(standing.state, inMaintenance), believedMs(settings))
  const failed = sample.outcome === 'failure'
  const responseMs = responseOf(sample)
  const records = watchRecords(before.records, sample.outcome === 'success' ? sample.records : undefined, at)
  const memory: Memory = withResult(
    {
      ...account.memory,
      ledger: withCheck(account.memory.ledger, failed, responseMs),
      samples: verdict.samples,
      announced: verdict.expiring?.fingerprint ?? before.announced,
      records: records.memory,
    },
    { at, state: verdict.state, responseMs, ...(failed && { error: sample.error }) },
  )
  return { memory, closed: account.closed, recordsChanged: records.changed && settings.dnsAlertOnChange }
}

/** The incident that will be open after this check. */
function incidentAfter({ openIncident: open }: Claim, { incident }: Verdict, at: number): string | null {
  return incident === 'open' ? newId('inc', at) : incident === 'continue' ? open : null
}

function* keepIncident(claim: Claim, incident: string | null, sample: Conclusive, at: number): Work<void> {
  const { orgId, num, openIncident: open } = claim
  if (sample.outcome === 'success') {
    if (open !== null) yield* resolveIncident(orgId, open, at, 'A check succeeded again')
  } else if (incident !== null) {
    const failure = failureOf(sample, at)
    if (open === null) yield* openIncident(orgId, incident, num, sample.code, failure)
    else yield* countFailure(orgId, open, failure)
  }
}

function failureOf(sample: Extract<Sample, { outcome: 'failure' }>, at: number): Failure {
  return {
    at,
    statusCode: sample.statusCode ?? null,
    responseMs: responseOf(sample),
    error: sample.error,
    ip: sample.ip ?? null,
    excerpt: sample.excerpt ?? null,
  }
}

/** After a look that says nothing about the target, the next one comes soon; the monitor stands where it stood. */
const INCONCLUSIVE_PAUSE_MS = 15 * SECOND_MS

const giveBack = statement((c: { orgId: string; num: number; revision: number; nextCheckAt: number | null }) =>
  q
    .updateTable('monitor_states')
    .set({ next_check_at: c.nextCheckAt, claimed_by: null })
    .where('num', '=', c.num)
    .where('org_id', '=', c.orgId)
    .where('revision', '=', c.revision),
)

function* tryAgain(claim: Claim, at: number): Work<boolean> {
  const { orgId, num, revision, settings, memory } = claim
  const soon = at + Math.min(INCONCLUSIVE_PAUSE_MS, periodMs(settings))
  const next = settings.type === 'CRON' ? deadlineOf(settings, memory.beats) : soon
  return (yield* run(giveBack, { orgId, num, revision, nextCheckAt: next })) === 1
}
