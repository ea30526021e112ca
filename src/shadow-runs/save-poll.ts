import { monitorsOfSource } from '../configuration/items.ts'
import { coverageOf } from '../monitoring/maintenance-coverage/coverage.ts'
import { readMemory } from '../monitoring/monitor-states/memory.ts'
import { batch, fromRows, insertBatch, sendAll } from '../storage/batch.ts'
import { awaitSent, type DbWork, execute, notifyWatchers, q } from '../storage/query.ts'
import type { ShadowSpanTable } from '../storage/schema/shadow-runs.ts'
import type { Verdicts } from './ask-tool.ts'
import { type Matching, type NamedMonitors, namedMonitors } from './match.ts'
import { type Observed, type OpenSpan, observe } from './observe.ts'
import { endedAt, type RunClaim, runQueue } from './runs.ts'
import { sourceOf } from './tools/index.ts'
import { type OurState, POLL_MS, type TheirState, type Tool } from './verdicts.ts'

/** Monitors that only one side has. */
export interface Unmatched {
  readonly there: NamedMonitors
  readonly here: NamedMonitors
}

const NO_MONITORS = namedMonitors([])
export const noneUnmatched: Unmatched = { there: NO_MONITORS, here: NO_MONITORS }
const unanswered: Matching = { matched: new Map(), onlyThere: NO_MONITORS }

/** Every change of a verdict is a row. An outage that both see at different times has four. */
const MAX_SPANS = 20_000
const TOO_MANY_CHANGES =
  `The verdicts have changed more than ${MAX_SPANS.toLocaleString('en')} times, which is the most that a shadow run records. ` +
  'The run has ended.'

/** After a longer pause Pharos was not running: what was said meanwhile is not known. */
const MAX_GAP_MS = 4 * POLL_MS

/** Saves what changed since the last poll. False if the run has ended or was deleted meanwhile. */
export function* savePoll(claim: RunClaim, verdicts: Verdicts, now: number): DbWork<boolean> {
  const { org_id: orgId, id: runId, tool, last_poll_at: lastPollAt, last_error: lastError } = claim
  const isAnswering = 'matched' in verdicts
  const monitors = yield* monitorsOf(orgId, tool as Tool)
  const { matched, onlyThere } = isAnswering ? verdicts : unanswered
  // A paused monitor is not listed by every tool.
  const missing = monitors.filter(({ num, state }) => state !== 'PAUSED' && !matched.has(num))
  const unmatched: Unmatched = { there: onlyThere, here: namedMonitors(missing) }
  const isFull = (yield* countSpans(orgId, runId)) >= MAX_SPANS
  const isOver = isFull || now >= claim.ends_at
  const saved = runQueue.updateClaimed(claim).set({
    claimed_by: null,
    last_poll_at: now,
    last_error: isFull ? TOO_MANY_CHANGES : isAnswering ? null : verdicts.error,
    ...(isAnswering && { matched: matched.size, unmatched: JSON.stringify(unmatched) }),
    ...(isOver ? endedAt(now) : { next_poll_at: now + POLL_MS }),
  })
  if ((yield* execute(saved.returning('id'))).length === 0) return false
  const open = yield* openSpansOf(orgId, runId)
  const hasGap = lastPollAt !== null && now - lastPollAt > MAX_GAP_MS
  if (hasGap) yield* endOpenSpans(orgId, runId, lastPollAt)
  // A single request may get lost: the tool is silent only from the second one on.
  if (!isFull && (isAnswering || lastError !== null)) {
    const observed = yield* observedOf(orgId, monitors, matched, now)
    const before = hasGap ? new Map<number, OpenSpan>() : open
    yield* beginSpans(orgId, runId, observe(before, observed, isAnswering, now), before)
  }
  if (isOver) yield* endOpenSpans(orgId, runId, now)
  yield* notifyWatchers({ orgId, kind: 'shadow_run', id: runId })
  return true
}

interface ImportedMonitor {
  readonly num: number
  readonly name: string
  readonly state: string
}

function* monitorsOf(orgId: string, tool: Tool): DbWork<readonly ImportedMonitor[]> {
  const monitors = monitorsOfSource(orgId, sourceOf(tool)).innerJoin('monitor_states as s', 's.num', 'm.num')
  return yield* execute(monitors.select(['m.num', 'm.name', 's.state']))
}

function* countSpans(orgId: string, runId: string): DbWork<number> {
  const spans = q.selectFrom('shadow_spans').where('org_id', '=', orgId).where('run_id', '=', runId)
  const [row] = yield* execute(spans.select((is) => is.fn.countAll<number>().as('count')))
  return Number(row?.count)
}

/** What Pharos says now. */
function* observedOf(
  orgId: string,
  monitors: readonly ImportedMonitor[],
  matched: Matching['matched'],
  now: number,
): DbWork<readonly Observed[]> {
  const coverage = yield* coverageOf(new Set([orgId]), now, now + 1)
  const doubtful = monitors.filter(({ num, state }) => state === 'UP' && matched.get(num) === 'DOWN')
  const inDoubt = yield* inconclusiveOf(doubtful)
  return monitors.map(({ num, state }) => {
    const theirs = matched.get(num)
    if (state !== 'PAUSED' && coverage(orgId, num).length > 0) return { num, theirs, ours: 'MAINTENANCE' }
    return { num, theirs, ours: inDoubt.has(num) ? 'UNKNOWN' : state === 'DEGRADED' ? 'UP' : (state as OurState) }
  })
}

/** In one step, after which bulk work gives the event loop back. */
const STATES_AT_ONCE = 200

/** Those whose latest check was inconclusive. Read only where the other tool says that a monitor is down. */
function* inconclusiveOf(monitors: readonly ImportedMonitor[]): DbWork<ReadonlySet<number>> {
  const found = new Set<number>()
  for (let at = 0; at < monitors.length; at += STATES_AT_ONCE) {
    const nums = monitors.slice(at, at + STATES_AT_ONCE).map(({ num }) => num)
    const rows = yield* execute(
      q.selectFrom('monitor_states').select(['num', 'memory', 'last_checked_at']).where('num', 'in', nums),
    )
    for (const { num, memory, last_checked_at: checkedAt } of rows) {
      const { inconclusiveAt } = readMemory(memory, 0)
      if (inconclusiveAt !== null && inconclusiveAt > (checkedAt ?? 0)) found.add(num)
    }
  }
  return found
}

function* openSpansOf(orgId: string, runId: string): DbWork<ReadonlyMap<number, OpenSpan>> {
  const spans = q.selectFrom('shadow_spans').where('org_id', '=', orgId).where('run_id', '=', runId)
  const rows = yield* execute(
    spans.select(['num', 'from_at as fromAt', 'theirs', 'ours']).where('until_at', 'is', null),
  )
  return new Map(rows.map((row) => [row.num, { ...row, theirs: row.theirs as TheirState, ours: row.ours as OurState }]))
}

/** Ends a span. It is named by its whole key: PostgreSQL would look through all open spans of the run for each. */
const end = batch<Pick<ShadowSpanTable, 'org_id' | 'run_id' | 'num' | 'from_at'> & { readonly at: number }>(
  { org_id: 'text', run_id: 'text', num: 'bigint', from_at: 'bigint', at: 'bigint' },
  (v, rows) =>
    fromRows(q.updateTable('shadow_spans as s'), rows)
      .set({ until_at: v.at })
      .where('s.org_id', '=', v.org_id)
      .where('s.run_id', '=', v.run_id)
      .where('s.num', '=', v.num)
      .where('s.from_at', '=', v.from_at),
)

const insert = insertBatch('shadow_spans', {
  org_id: 'text',
  run_id: 'text',
  num: 'bigint',
  from_at: 'bigint',
  until_at: 'bigint',
  theirs: 'text',
  ours: 'text',
})

/** The run has ended. */
export function* endOpenSpans(orgId: string, runId: string, at: number): DbWork<void> {
  yield* execute(
    q
      .updateTable('shadow_spans')
      .set({ until_at: at })
      .where('org_id', '=', orgId)
      .where('run_id', '=', runId)
      .where('until_at', 'is', null),
  )
}

/** In one turn of the event loop. */
const SPANS_AT_ONCE = 1_000

/** Each ends the open span of its monitor. */
function* beginSpans(
  orgId: string,
  runId: string,
  begun: readonly OpenSpan[],
  open: ReadonlyMap<number, OpenSpan>,
): DbWork<void> {
  const ofRun = { org_id: orgId, run_id: runId }
  for (let at = 0; at < begun.length; at += SPANS_AT_ONCE) {
    const some = begun.slice(at, at + SPANS_AT_ONCE)
    const ended = some.flatMap(({ num, fromAt }) => {
      const before = open.get(num)
      return before === undefined ? [] : [{ ...ofRun, num, from_at: before.fromAt, at: fromAt }]
    })
    yield* sendAll(end, ended)
    yield* sendAll(
      insert,
      some.map(({ num, fromAt, theirs, ours }) => ({ ...ofRun, num, from_at: fromAt, until_at: null, theirs, ours })),
    )
    yield* awaitSent()
  }
}
