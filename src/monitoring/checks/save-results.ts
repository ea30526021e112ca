import type { Sample } from '../../contract/probe.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type DbWork, notifyWatchers, q, run, statement } from '../../storage/query.ts'
import { countFailure, openIncident, resolveIncident } from '../incidents/queries.ts'
import type { Failure } from '../incidents/types.ts'
import { isWithin } from '../maintenance-coverage/coverage.ts'
import type { Span } from '../maintenance-coverage/types.ts'
import { deadlineOf, periodMs } from '../monitor-states/due.ts'
import { type ClosedHour, spentIn, withCheck } from '../monitor-states/ledger.ts'
import { coveredByMaintenance } from '../monitor-states/maintenance.ts'
import type { Memory } from '../monitor-states/memory.ts'
import { logLine } from '../monitor-states/recent-log.ts'
import { storeHours } from '../monitor-states/rollups.ts'
import { nextCheckAt } from '../monitor-states/schedule.ts'
import { believedMs, type Stand, saveStands, settleAccount } from '../monitor-states/save.ts'
import { announce, type Change, newsIn } from './emit-check-events.ts'
import type { Claim } from './claim.ts'
import { type Conclusive, judge, type Verdict } from './judge.ts'
import { watchRecords } from './dns-records.ts'
import { appendResults, type RawResult } from './raw-results.ts'

/** What a check brought home, and when it ended. */
export interface Finding {
  readonly claim: Claim
  readonly sample: Sample
  readonly at: number
}

/** What is to be written of a finding. */
interface Decision extends Change {
  readonly stand: Stand
  readonly closed: readonly ClosedHour[]
}

/** Where the monitor stands from now on; that it stands where it stood; or that it was overtaken. */
export type Landed = Stand | 'unchanged' | 'overtaken'

/** Writes what one check found; see `landAll`. */
export function* land(finding: Finding, baseUrl: string): DbWork<Landed> {
  return (yield* landAll([finding], baseUrl))[0] as Landed
}

/**
 * Writes what checks found: results, states, incidents, accounts and events, together or not at all. Everything is
 * decided from what was read with the claims, and of each monitor it is written only if it is still what it was then, and
 * was not paused, edited, deleted or claimed anew since. `baseUrl` is where events say things are.
 */
export function* landAll(findings: readonly Finding[], baseUrl: string): DbWork<readonly Landed[]> {
  const covered = yield* coveredByMaintenance(
    findings.map(({ claim: { orgId, memory }, at }) => ({ orgId, memory, at })),
  )
  const landed = new Array<Landed>(findings.length).fill('overtaken')
  const decisions: Decision[] = []
  const places: number[] = []
  for (let i = 0; i < findings.length; i += 1) {
    const { claim, sample, at } = findings[i] as Finding
    if (sample.outcome === 'inconclusive') {
      if (yield* tryAgain(claim, at)) landed[i] = 'unchanged'
    } else {
      decisions.push(decide(claim, sample, at, covered(claim.orgId, claim.num)))
      places.push(i)
    }
  }
  const saved = yield* saveStands(decisions.map(({ stand }) => stand))
  const standing = decisions.filter((_, n) => saved[n])
  for (let n = 0; n < decisions.length; n += 1) {
    if (saved[n]) landed[places[n] as number] = (decisions[n] as Decision).stand
  }
  yield* appendResults(standing.map(resultOf))
  for (const decision of standing.filter(isEventful).sort(byOrganization)) yield* follow(decision, baseUrl)
  yield* notifyWatchers(...standing.map(({ claim }) => ({ orgId: claim.orgId, kind: 'monitor', id: claim.monitorId })))
  return landed
}

function decide(claim: Claim, sample: Conclusive, at: number, maintenance: readonly Span[]): Decision {
  const { orgId, num, revision, settings, standing } = claim
  const inMaintenance = isWithin(maintenance, at)
  const verdict = judge(beforeOf(claim), sample, settings, at, inMaintenance)
  const { memory, closed, recordsChanged } = remember(claim, sample, verdict, at, maintenance)
  const responseMs = responseOf(sample)
  const incident = incidentAfter(claim, verdict, at)
  const { state } = verdict
  const stand: Stand = {
    orgId,
    num,
    revision,
    standing: {
      state,
      last_checked_at: at,
      last_status_changed_at: state === standing.state ? standing.last_status_changed_at : at,
      last_response_ms: responseMs ?? standing.last_response_ms,
      cert_expires_at: sample.certificate?.expiresAt ?? standing.cert_expires_at,
    },
    memory,
    nextCheckAt: nextLook(claim, memory, at),
    openIncident: incident,
    log: logLine({ at, state, responseMs, ...(sample.outcome === 'failure' && { error: sample.error }) }),
    newEditions: 0,
  }
  return { claim, sample, verdict, incident, stand, closed, recordsChanged, inMaintenance, at }
}

function resultOf({ claim, verdict, sample, at }: Decision): RawResult {
  return { num: claim.num, at, state: verdict.state, responseMs: responseOf(sample), keepDays: claim.keepDays }
}

/** Transactions that tell several organizations do so in one order, so that no two of them wait for each other. */
function byOrganization(a: Decision, b: Decision): number {
  return a.claim.orgId < b.claim.orgId ? -1 : a.claim.orgId > b.claim.orgId ? 1 : 0
}

/** From most results nothing follows: they found what the ones before them found. */
function isEventful(decision: Decision): boolean {
  return touchesIncident(decision) || decision.closed.length > 0 || newsIn(decision).length > 0
}

function touchesIncident({ claim, sample }: Decision): boolean {
  return sample.outcome === 'failure' || claim.openIncident !== null
}

/** What follows from a result that landed. */
function* follow(decision: Decision, baseUrl: string): DbWork<void> {
  const { claim, sample, incident, closed, at } = decision
  if (touchesIncident(decision)) yield* keepIncident(claim, incident, sample, at)
  if (closed.length > 0) yield* storeHours(claim.orgId, claim.num, closed)
  yield* announce(decision, baseUrl)
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

function remember(claim: Claim, sample: Conclusive, verdict: Verdict, at: number, maintenance: readonly Span[]) {
  const { memory: before, settings, standing } = claim
  const account = settleAccount(before, at, spentIn(standing.state, false), believedMs(settings), maintenance)
  const failed = sample.outcome === 'failure'
  const responseMs = responseOf(sample)
  const records = watchRecords(before.records, sample.outcome === 'success' ? sample.records : undefined, at)
  const memory: Memory = {
    ...account.memory,
    ledger: withCheck(account.memory.ledger, failed, responseMs),
    samples: verdict.samples,
    announced: verdict.expiring?.fingerprint ?? before.announced,
    records: records.memory,
  }
  return { memory, closed: account.closed, recordsChanged: records.changed && settings.dnsAlertOnChange }
}

/** The incident that will be open after this check. */
function incidentAfter({ openIncident: open }: Claim, { incident }: Verdict, at: number): string | null {
  return incident === 'open' ? newId('inc', at) : incident === 'continue' ? open : null
}

function* keepIncident(claim: Claim, incident: string | null, sample: Conclusive, at: number): DbWork<void> {
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

function* tryAgain(claim: Claim, at: number): DbWork<boolean> {
  const { orgId, num, revision, settings, memory } = claim
  const soon = at + Math.min(INCONCLUSIVE_PAUSE_MS, periodMs(settings))
  const next = settings.type === 'CRON' ? deadlineOf(settings, memory.beats) : soon
  return (yield* run(giveBack, { orgId, num, revision, nextCheckAt: next })) === 1
}
