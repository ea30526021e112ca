import { sql } from 'kysely'
import type { Sample } from '../../contract/probe.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { type HeartbeatMemory, memoryText } from '../monitor-states/memory.ts'
import { heartbeatDeadline } from '../monitor-states/schedule.ts'
import { type Claim, claimHeartbeat, type HeartbeatAddress } from './claim.ts'
import { saveResult } from './save-results.ts'

/** What a job reports on its heartbeat address. */
export type HeartbeatSignal =
  | { readonly kind: 'success' }
  | { readonly kind: 'start' }
  | { readonly kind: 'fail' }
  | { readonly kind: 'log' }
  | { readonly kind: 'exit'; readonly code: number }

export interface Heartbeat {
  readonly signal: HeartbeatSignal
  /** The run id, which pairs a start with its end. */
  readonly rid: string | null
  readonly body: string | null
  /** As the job reports it. Absent: since its start. */
  readonly durationMs?: number
  /** Why the job failed, in its own words. */
  readonly error?: string
}

/** Parses the part after the token in a heartbeat address; undefined for an unknown word. */
export function parseSignal(word: string | undefined): HeartbeatSignal | undefined {
  if (word === undefined || word === '') return { kind: 'success' }
  if (word === 'start' || word === 'fail' || word === 'log') return { kind: word }
  const code = /^\d{1,3}$/.test(word) ? Number(word) : 256
  return code <= 255 ? { kind: 'exit', code } : undefined
}

/** False if no monitor has this address. */
export function* recordHeartbeat(
  address: HeartbeatAddress,
  heartbeat: Heartbeat,
  now: number,
  baseUrl: string,
): DbWork<boolean> {
  const claim = yield* claimHeartbeat(address, now)
  if (claim === undefined) return false
  const { heartbeats, durationMs: sinceStart } = heartbeatsAfter(claim.memory.heartbeats, heartbeat, now)
  const durationMs = heartbeat.durationMs ?? sinceStart
  yield* logHeartbeat(claim, heartbeat, durationMs, now)
  const sample = sampleOf(heartbeat, durationMs)
  const updated: Claim = { ...claim, memory: { ...claim.memory, heartbeats } }
  // While paused a heartbeat is only logged. A start or a log line does not change the state.
  if (claim.current.state === 'PAUSED') return true
  if (sample === undefined) yield* saveHeartbeats(updated)
  else yield* saveResult({ claim: updated, sample, at: now }, baseUrl)
  return true
}

/** The check of a CRON monitor: whether its heartbeat is overdue. Inconclusive before the first heartbeat. */
export function heartbeatSample({ settings, memory, current }: Claim, now: number): Sample {
  const deadline = heartbeatDeadline(settings, memory.heartbeats)
  if (deadline === null) return { outcome: 'inconclusive', reason: reason('no_heartbeat') }
  if (now >= deadline) {
    const last = isoTimestamp(memory.heartbeats.lastSuccessAt as number)
    const error = reason('heartbeat_missed', { last, deadline: isoTimestamp(deadline) })
    return { outcome: 'failure', code: 'HEARTBEAT_MISSED', kind: 'content', error }
  }
  if (current.state === 'PENDING') return { outcome: 'inconclusive', reason: reason('no_heartbeat_since_resumed') }
  // A job that reported failure stays DOWN until it reports success.
  if (memory.heartbeats.failed) {
    return { outcome: 'failure', code: 'HEARTBEAT_FAILED', kind: 'content', error: reason('job_failed') }
  }
  return { outcome: 'success' }
}

function sampleOf({ signal, error: given }: Heartbeat, durationMs: number | null): Sample | undefined {
  const responseMs = durationMs === null ? {} : { responseMs: durationMs }
  if (signal.kind === 'success' || (signal.kind === 'exit' && signal.code === 0))
    return { outcome: 'success', ...responseMs }
  if (signal.kind === 'start' || signal.kind === 'log') return undefined
  const failure = signal.kind === 'exit' ? reason('job_exited', { status: signal.code }) : reason('job_failed')
  const error = given === undefined ? failure : reason('text', { text: given })
  return { outcome: 'failure', code: 'HEARTBEAT_FAILED', kind: 'content', error, ...responseMs }
}

/** Runs that have started and not ended; the oldest are dropped. */
const MAX_OPEN_RUNS = 20
const NO_RUN_ID = ''

export function heartbeatsAfter(
  before: HeartbeatMemory,
  { signal, rid }: Heartbeat,
  now: number,
): { heartbeats: HeartbeatMemory; durationMs: number | null } {
  const run = rid ?? NO_RUN_ID
  if (signal.kind === 'log') return { heartbeats: before, durationMs: null }
  if (signal.kind === 'start') {
    // Sorted by time, because an object orders keys that look like numbers first.
    const others = Object.entries(before.started).filter(([id]) => id !== run)
    const kept = others.sort(([, a], [, b]) => a - b).slice(-(MAX_OPEN_RUNS - 1))
    return { heartbeats: { ...before, started: { ...Object.fromEntries(kept), [run]: now } }, durationMs: null }
  }
  const { [run]: _ended, ...started } = before.started
  // hasOwn: a run id may be `constructor` or another inherited name.
  const startedAt = Object.hasOwn(before.started, run) ? before.started[run] : undefined
  const succeeded = signal.kind === 'success' || (signal.kind === 'exit' && signal.code === 0)
  return {
    // If the first report is a failure, the deadline counts from it.
    heartbeats: { started, lastSuccessAt: succeeded ? now : (before.lastSuccessAt ?? now), failed: !succeeded },
    durationMs: startedAt === undefined ? null : Math.max(0, now - startedAt),
  }
}

const saveMemory = statement((m: { num: number; orgId: string; revision: number; memory: string }) =>
  q
    .updateTable('monitor_states')
    .set({ memory: m.memory, revision: sql<number>`revision + 1` })
    .where('num', '=', m.num)
    .where('org_id', '=', m.orgId)
    .where('revision', '=', m.revision),
)

/** A check under way has not seen this heartbeat: its result becomes stale, and it is repeated at once. */
function* saveHeartbeats({ num, orgId, revision, memory }: Claim): DbWork<void> {
  yield* run(saveMemory, { num, orgId, revision, memory: memoryText(memory) })
}

interface LoggedHeartbeat {
  orgId: string
  num: number
  at: number
  signal: string
  exitCode: number | null
  rid: string | null
  durationMs: number | null
  body: string | null
}

const insertLog = statement((h: LoggedHeartbeat) =>
  q.insertInto('heartbeats').values({
    org_id: h.orgId,
    num: h.num,
    at: h.at,
    signal: h.signal,
    exit_code: h.exitCode,
    rid: h.rid,
    duration_ms: h.durationMs,
    body: h.body,
  }),
)

/** Heartbeats kept per monitor, with their bodies. */
const KEPT_HEARTBEATS = 100

const newestSurplus = statement(({ num }: { num: number }) =>
  q.selectFrom('heartbeats').select('id').where('num', '=', num).orderBy('id', 'desc').limit(1).offset(KEPT_HEARTBEATS),
)

const deleteUpTo = statement(({ num, id }: { num: number; id: number }) =>
  q.deleteFrom('heartbeats').where('num', '=', num).where('id', '<=', id),
)

function* logHeartbeat(
  { orgId, num }: Claim,
  { signal, rid, body }: Heartbeat,
  durationMs: number | null,
  at: number,
): DbWork<void> {
  const exitCode = signal.kind === 'exit' ? signal.code : null
  yield* run(insertLog, { orgId, num, at, signal: signal.kind, exitCode, rid, durationMs, body })
  const old = yield* first(newestSurplus, { num })
  if (old !== undefined) yield* run(deleteUpTo, { num, id: old.id })
}
