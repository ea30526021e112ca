import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { MonitorOptions } from '../contract/check-options.ts'
import type { Read } from '../contract/operation.ts'
import { parseStored } from '../lib/json.ts'
import { Semaphore } from '../lib/semaphore.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import type { ShadowRunTable } from '../storage/schema/shadow-runs.ts'
import {
  compareMonitor,
  compareTool,
  type Disagreement,
  isCompared,
  mayDisagree,
  type Rules,
  rulesOf,
  type SeenIncident,
  type Span,
} from './compare.ts'
import { TOOL_NUM } from './observe.ts'
import type { OurState, TheirState } from './verdicts.ts'

type Run = Pick<ShadowRunTable, 'org_id' | 'id' | 'started_at'>

export interface MonitorDisagreement extends Disagreement {
  /** Null if it is about the other tool itself. */
  readonly monitor: { readonly num: number; readonly id: string; readonly name: string } | null
}

export interface Report {
  /** Newest first. */
  readonly disagreements: readonly MonitorDisagreement[]
  /** In percent; null if nothing could be compared yet. */
  readonly agreement: number | null
}

/** Of a run that has not been answered yet. */
export const emptyReport: Report = { disagreements: [], agreement: null }

/** A run has up to 20,000 spans, and reports are built beside other requests: one of an organization at a time. */
const turns = new Semaphore(1, 500)

/** Compares both verdicts, and gives the event loop back in between. Only monitors about which they ever differed are judged. */
export async function reportOf(
  read: Read,
  run: Run,
  confirmDelaysSeconds: readonly number[],
  now: number,
): Promise<Report> {
  return turns.run(() => compared(read, run, confirmDelaysSeconds, now), undefined, run.org_id)
}

async function compared(read: Read, run: Run, confirmDelaysSeconds: readonly number[], now: number): Promise<Report> {
  const { spans, comparedMs } = await differingSpans(read, run, now)
  const found: MonitorDisagreement[] = compareTool(spans.get(TOOL_NUM) ?? []).map((one) => ({ ...one, monitor: null }))
  const nums = [...spans.keys()]
  for (let at = 0; at < nums.length; at += MONITORS_AT_ONCE) {
    const some = nums.slice(at, at + MONITORS_AT_ONCE)
    const incidents = await read(incidentsOf(run, some))
    for (const { rules, ...monitor } of await read(monitorsOf(run, some, confirmDelaysSeconds))) {
      const its = compareMonitor(spans.get(monitor.num) ?? [], incidents.get(monitor.num) ?? [], rules, now)
      for (const one of its) found.push({ ...one, monitor })
    }
    await setImmediate()
  }
  const differingMs = found.filter(isCompared).reduce((sum, one) => sum + (one.untilAt ?? now) - one.fromAt, 0)
  return {
    disagreements: found.sort((a, b) => b.fromAt - a.fromAt),
    agreement: comparedMs > 0 ? Math.max(0, 100 * (1 - differingMs / comparedMs)) : null,
  }
}

/** In one turn of the event loop. */
const SPANS_AT_ONCE = 2_000
const MONITORS_AT_ONCE = 100

type Spans = ReadonlyMap<number, readonly Span[]>

/** The spans of the tool, and of the monitors about which they ever differed, by number. `comparedMs`: of all monitors together. */
async function differingSpans(
  read: Read,
  run: Run,
  now: number,
): Promise<{ readonly spans: Spans; readonly comparedMs: number }> {
  const spans = new Map<number, readonly Span[]>()
  let comparedMs = 0
  let num = TOOL_NUM
  let its: Span[] = []
  const add = () => {
    if (num === TOOL_NUM || its.some(mayDisagree)) spans.set(num, its)
  }
  for (let after = { num: TOOL_NUM, fromAt: -1 }; ; ) {
    const rows = await read(spansAfter(run, after))
    for (const { num: next, ...span } of rows) {
      if (next !== num) {
        add()
        num = next
        its = []
      }
      its.push(span)
      if (num !== TOOL_NUM && isCompared(span)) comparedMs += (span.untilAt ?? now) - span.fromAt
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < SPANS_AT_ONCE) break
    after = last
    await setImmediate()
  }
  add()
  return { spans, comparedMs }
}

interface SpanRow extends Span {
  readonly num: number
}

function* spansAfter(run: Run, after: Pick<SpanRow, 'num' | 'fromAt'>): DbWork<readonly SpanRow[]> {
  const rows = yield* execute(
    q
      .selectFrom('shadow_spans')
      .select(['num', 'from_at as fromAt', 'until_at as untilAt', 'theirs', 'ours'])
      .where('org_id', '=', run.org_id)
      .where('run_id', '=', run.id)
      .where(sql<boolean>`(num, from_at) > (${after.num}, ${after.fromAt})`)
      .orderBy('num')
      .orderBy('from_at')
      .limit(SPANS_AT_ONCE),
  )
  return rows.map((row) => ({ ...row, theirs: row.theirs as TheirState, ours: row.ours as OurState }))
}

/** A monitor that changes with every check has one a minute. Beyond this the oldest are left out. */
const MAX_INCIDENTS = 2_000

/** By the number of the monitor, in order of time. */
function* incidentsOf(run: Run, nums: readonly number[]): DbWork<ReadonlyMap<number, readonly SeenIncident[]>> {
  const rows = yield* execute(
    q
      .selectFrom('incidents')
      .select(['num', 'id', 'started_at as startedAt', 'resolved_at as resolvedAt', 'cause_code as causeCode'])
      .where('org_id', '=', run.org_id)
      .where('num', 'in', nums)
      .where((is) => is.or([is('resolved_at', 'is', null), is('resolved_at', '>=', run.started_at)]))
      .orderBy('seq', 'desc')
      .limit(MAX_INCIDENTS),
  )
  return Map.groupBy(rows.toReversed(), ({ num }) => num)
}

interface ComparedMonitor {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly rules: Rules
}

/** Without monitors that were deleted. */
function* monitorsOf(
  run: Run,
  nums: readonly number[],
  confirmDelaysSeconds: readonly number[],
): DbWork<readonly ComparedMonitor[]> {
  const rows = yield* execute(
    q
      .selectFrom('monitors')
      .select(['num', 'id', 'name', 'type', 'interval_seconds', 'grace_seconds', 'options'])
      .where('org_id', '=', run.org_id)
      .where('num', 'in', nums),
  )
  return rows.map(({ num, id, name, type, options, ...row }) => {
    const { confirmation } = (options === null ? {} : parseStored(options)) as MonitorOptions
    const timing = { intervalSeconds: row.interval_seconds, graceSeconds: row.grace_seconds }
    return { num, id, name, rules: rulesOf({ type, ...timing, confirmation, confirmDelaysSeconds }) }
  })
}
