import { monitorsOfSource } from '../configuration/items.ts'
import { coverageOf } from '../monitoring/maintenance-coverage/coverage.ts'
import { readMemory } from '../monitoring/monitor-states/memory.ts'
import { definitions, type MonitorType } from '../monitoring/monitor-types/definitions.ts'
import { batch, fromRows, insertBatch, sendAll } from '../storage/batch.ts'
import { type DbWork, execute, notifyWatchers, q } from '../storage/query.ts'
import type { ShadowSpanTable } from '../storage/schema/shadow-runs.ts'
import type { Verdicts } from './ask-tool.ts'
import { matchMonitors, type OurMonitor } from './match.ts'
import { type Observed, type OpenSpan, observe } from './observe.ts'
import { type RunClaim, runQueue } from './runs.ts'
import { sourceOf } from './tools/index.ts'
import { type OurState, POLL_MS, type TheirMonitor, type TheirState, type Tool } from './verdicts.ts'

const MAX_NAMES = 100
const MAX_NAME_CHARS = 200

/** Monitors that only one side has. At most MAX_NAMES names are kept of each. */
export interface Unmatched {
  readonly there: ReturnType<typeof namesOf>
  readonly here: ReturnType<typeof namesOf>
}

export const noneUnmatched: Unmatched = { there: namesOf([]), here: namesOf([]) }

/** After a longer pause Pharos was not running: what was said meanwhile is not known. */
const MAX_GAP_MS = 4 * POLL_MS

/** Saves what changed since the last poll. False if the run has ended or was deleted meanwhile. */
export function* savePoll(claim: RunClaim, verdicts: Verdicts, now: number): DbWork<boolean> {
  const { org_id: orgId, id: runId, tool, last_poll_at: lastPollAt, last_error: lastError } = claim
  const isAnswering = 'monitors' in verdicts
  const monitors = yield* monitorsOf(orgId, tool as Tool)
  const theirs = isAnswering ? verdicts.monitors : []
  const { matched, onlyThere, onlyHere } = matchMonitors(monitors, theirs)
  // A paused monitor is not listed by every tool.
  const missing = onlyHere.filter(({ state }) => state !== 'PAUSED')
  const unmatched: Unmatched = { there: namesOf(onlyThere), here: namesOf(missing) }
  const isOver = now >= claim.ends_at
  const saved = runQueue.updateClaimed(claim).set({
    claimed_by: null,
    last_poll_at: now,
    last_error: isAnswering ? null : verdicts.error,
    ...(isAnswering && { matched: matched.size, unmatched: JSON.stringify(unmatched) }),
    ...(isOver ? { next_poll_at: null, ended_at: now, sealed_key: null } : { next_poll_at: now + POLL_MS }),
  })
  if ((yield* execute(saved.returning('id'))).length === 0) return false
  const open = yield* openSpansOf(orgId, runId)
  const hasGap = lastPollAt !== null && now - lastPollAt > MAX_GAP_MS
  if (hasGap) yield* endOpenSpans(orgId, runId, lastPollAt)
  // A single request may get lost: the tool is silent only from the second one on.
  if (isAnswering || lastError !== null) {
    const observed = yield* observedOf(orgId, monitors, matched, now)
    const before = hasGap ? new Map<number, OpenSpan>() : open
    yield* beginSpans(orgId, runId, observe(before, observed, isAnswering, now))
  }
  if (isOver) yield* endOpenSpans(orgId, runId, now)
  yield* notifyWatchers({ orgId, kind: 'shadow_run', id: runId })
  return true
}

interface ImportedMonitor extends OurMonitor {
  readonly state: string
}

function* monitorsOf(orgId: string, tool: Tool): DbWork<readonly ImportedMonitor[]> {
  const rows = yield* execute(
    monitorsOfSource(orgId, sourceOf(tool))
      .innerJoin('monitor_states as s', 's.num', 'm.num')
      .select(['m.num', 'm.name', 'm.type', 'm.settings', 'i.key', 's.state']),
  )
  return rows.map(({ type, settings, ...row }) => ({
    ...row,
    address: () =>
      definitions[type as MonitorType].targetText({ url: null, host: null, port: null, ...JSON.parse(settings) }),
  }))
}

function namesOf(monitors: readonly { readonly name: string }[]) {
  const names = monitors.slice(0, MAX_NAMES).map(({ name }) => name.replaceAll('\0', ' ').slice(0, MAX_NAME_CHARS))
  return { total: monitors.length, names }
}

/** What Pharos says now. */
function* observedOf(
  orgId: string,
  monitors: readonly ImportedMonitor[],
  matched: ReadonlyMap<number, TheirMonitor>,
  now: number,
): DbWork<readonly Observed[]> {
  const coverage = yield* coverageOf(new Set([orgId]), now, now + 1)
  const doubtful = monitors.filter(({ num, state }) => state === 'UP' && matched.get(num)?.state === 'DOWN')
  const inDoubt = yield* inconclusiveOf(doubtful)
  return monitors.map(({ num, state }) => {
    const theirs = matched.get(num)
    if (state !== 'PAUSED' && coverage(orgId, num).length > 0) return { num, theirs, ours: 'MAINTENANCE' }
    return { num, theirs, ours: inDoubt.has(num) ? 'UNKNOWN' : state === 'DEGRADED' ? 'UP' : (state as OurState) }
  })
}

/** Those whose latest check was inconclusive. Read only where the other tool says that a monitor is down. */
function* inconclusiveOf(monitors: readonly ImportedMonitor[]): DbWork<ReadonlySet<number>> {
  if (monitors.length === 0) return new Set()
  const nums = monitors.map(({ num }) => num)
  const rows = yield* execute(
    q.selectFrom('monitor_states').select(['num', 'memory', 'last_checked_at']).where('num', 'in', nums),
  )
  const isInDoubt = ({ memory, last_checked_at: checkedAt }: (typeof rows)[number]) => {
    const { inconclusiveAt } = readMemory(memory, 0)
    return inconclusiveAt !== null && inconclusiveAt > (checkedAt ?? 0)
  }
  return new Set(rows.filter(isInDoubt).map(({ num }) => num))
}

function* openSpansOf(orgId: string, runId: string): DbWork<ReadonlyMap<number, OpenSpan>> {
  const spans = q.selectFrom('shadow_spans').where('org_id', '=', orgId).where('run_id', '=', runId)
  const rows = yield* execute(
    spans.select(['num', 'from_at as fromAt', 'theirs', 'ours']).where('until_at', 'is', null),
  )
  return new Map(rows.map((row) => [row.num, { ...row, theirs: row.theirs as TheirState, ours: row.ours as OurState }]))
}

/** Ends the open span of a monitor where its next one begins. */
const endBefore = batch<Pick<ShadowSpanTable, 'org_id' | 'run_id' | 'num' | 'from_at'>>(
  { org_id: 'text', run_id: 'text', num: 'bigint', from_at: 'bigint' },
  (v, rows) =>
    fromRows(q.updateTable('shadow_spans as s'), rows)
      .set({ until_at: v.from_at })
      .where('s.org_id', '=', v.org_id)
      .where('s.run_id', '=', v.run_id)
      .where('s.num', '=', v.num)
      .where('s.until_at', 'is', null),
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

function* beginSpans(orgId: string, runId: string, begun: readonly OpenSpan[]): DbWork<void> {
  const rows = begun.map(({ num, fromAt, theirs, ours }) => {
    return { org_id: orgId, run_id: runId, num, from_at: fromAt, until_at: null, theirs, ours }
  })
  yield* sendAll(endBefore, rows)
  yield* sendAll(insert, rows)
}
