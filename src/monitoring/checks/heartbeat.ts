import { sql } from 'kysely'
import type { Sample } from '../../contract/probe.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { type Beats, type Memory, memoryText } from '../monitor-states/memory.ts'
import { type Claim, claimToken } from './claim.ts'
import { land } from './save-results.ts'

/** What a job says on its heartbeat address. */
export type Signal =
  | { readonly kind: 'success' }
  | { readonly kind: 'start' }
  | { readonly kind: 'fail' }
  | { readonly kind: 'log' }
  | { readonly kind: 'exit'; readonly code: number }

export interface Heartbeat {
  readonly signal: Signal
  /** Pairs a start with its end. */
  readonly rid: string | null
  readonly body: string | null
}

/** The word behind the token in a heartbeat address; undefined if it is none we know. */
export function signalOf(word: string | undefined): Signal | undefined {
  if (word === undefined || word === '') return { kind: 'success' }
  if (word === 'start' || word === 'fail' || word === 'log') return { kind: word }
  const code = /^\d{1,3}$/.test(word) ? Number(word) : 256
  return code <= 255 ? { kind: 'exit', code } : undefined
}

/** Takes in a heartbeat; false if the address is nobody's. It is answered once this has committed. */
export function* receive(token: string, beat: Heartbeat, now: number, baseUrl: string): DbWork<boolean> {
  const claim = yield* claimToken(token, now)
  if (claim === undefined) return false
  const { beats, durationMs } = beatsAfter(claim.memory.beats, beat, now)
  yield* keepLog(claim, beat, durationMs, now)
  const sample = sampleOf(beat.signal, durationMs)
  const heard: Claim = { ...claim, memory: { ...claim.memory, beats } }
  // While paused a heartbeat is only logged; a start or a log line says nothing about how the job fares.
  if (claim.standing.state === 'PAUSED') return true
  if (sample === undefined) yield* remember(heard, heard.memory, now)
  else yield* land({ claim: heard, sample, at: now }, baseUrl)
  return true
}

function sampleOf(signal: Signal, durationMs: number | null): Sample | undefined {
  const responseMs = durationMs === null ? {} : { responseMs: durationMs }
  if (signal.kind === 'success' || (signal.kind === 'exit' && signal.code === 0))
    return { outcome: 'success', ...responseMs }
  if (signal.kind === 'start' || signal.kind === 'log') return undefined
  const error = signal.kind === 'exit' ? `The job ended with exit code ${signal.code}` : 'The job reported a failure'
  return { outcome: 'failure', code: 'HEARTBEAT_FAILED', kind: 'content', error, ...responseMs }
}

/** Runs that have begun and not ended; older ones are forgotten. */
const MOST_RUNS = 20
const ANONYMOUS = ''

export function beatsAfter(
  beats: Beats,
  { signal, rid }: Heartbeat,
  now: number,
): { beats: Beats; durationMs: number | null } {
  const run = rid ?? ANONYMOUS
  if (signal.kind === 'log') return { beats, durationMs: null }
  if (signal.kind === 'start') {
    // By time: an object would put run ids that look like numbers first.
    const others = Object.entries(beats.started).filter(([id]) => id !== run)
    const kept = others.sort(([, a], [, b]) => a - b).slice(-(MOST_RUNS - 1))
    return { beats: { ...beats, started: { ...Object.fromEntries(kept), [run]: now } }, durationMs: null }
  }
  const { [run]: _ended, ...started } = beats.started
  // A run id may be any text, such as the name of something that every object has.
  const startedAt = Object.hasOwn(beats.started, run) ? beats.started[run] : undefined
  const succeeded = signal.kind === 'success' || (signal.kind === 'exit' && signal.code === 0)
  return {
    // A job whose first word is a failure is waited for from then on.
    beats: { started, lastSuccessAt: succeeded ? now : (beats.lastSuccessAt ?? now), failed: !succeeded },
    durationMs: startedAt === undefined ? null : Math.max(0, now - startedAt),
  }
}

const saveMemory = statement(
  (m: { num: number; orgId: string; revision: number; memory: string; next: number | null }) =>
    q
      .updateTable('monitor_states')
      .set({ memory: m.memory, next_check_at: m.next, claimed_by: null, revision: sql<number>`revision + 1` })
      .where('num', '=', m.num)
      .where('org_id', '=', m.orgId)
      .where('revision', '=', m.revision),
)

/** A check under way knows nothing of this heartbeat: it is overtaken, and made again at once. */
function* remember(claim: Claim, memory: Memory, now: number): DbWork<void> {
  const { num, orgId, revision, dueAt, underWay } = claim
  yield* run(saveMemory, { num, orgId, revision, memory: memoryText(memory), next: underWay ? now : dueAt })
}

interface Logged {
  orgId: string
  num: number
  at: number
  signal: string
  exitCode: number | null
  rid: string | null
  durationMs: number | null
  body: string | null
}

const log = statement((h: Logged) =>
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

/** The latest heartbeats of a monitor that are kept, bodies and all. */
const KEPT_HEARTBEATS = 100

const oldestKept = statement(({ num }: { num: number }) =>
  q.selectFrom('heartbeats').select('id').where('num', '=', num).orderBy('id', 'desc').limit(1).offset(KEPT_HEARTBEATS),
)

const forget = statement(({ num, id }: { num: number; id: number }) =>
  q.deleteFrom('heartbeats').where('num', '=', num).where('id', '<=', id),
)

function* keepLog(
  { orgId, num }: Claim,
  { signal, rid, body }: Heartbeat,
  durationMs: number | null,
  at: number,
): DbWork<void> {
  const exitCode = signal.kind === 'exit' ? signal.code : null
  yield* run(log, { orgId, num, at, signal: signal.kind, exitCode, rid, durationMs, body })
  const old = yield* first(oldestKept, { num })
  if (old !== undefined) yield* run(forget, { num, id: old.id })
}
