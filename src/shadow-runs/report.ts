import { sql } from 'kysely'
import type { MonitorOptions } from '../contract/check-options.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import type { ShadowRunTable } from '../storage/schema/shadow-runs.ts'
import {
  compareMonitor,
  compareTool,
  type Disagreement,
  isCompared,
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

/** Compares both verdicts. Only monitors about which they ever differed are read. */
export function* reportOf(run: Run, confirmDelaysSeconds: readonly number[], now: number): DbWork<Report> {
  const spans = yield* differingSpans(run)
  const incidents = yield* incidentsOf(run)
  const found: MonitorDisagreement[] = compareTool(spans.get(TOOL_NUM) ?? []).map((one) => ({ ...one, monitor: null }))
  for (const { rules, ...monitor } of yield* monitorsOf(run, confirmDelaysSeconds)) {
    const its = compareMonitor(spans.get(monitor.num) ?? [], incidents.get(monitor.num) ?? [], rules, now)
    found.push(...its.map((one) => ({ ...one, monitor })))
  }
  const comparedMs = yield* comparedTime(run, now)
  const differingMs = found.filter(isCompared).reduce((sum, one) => sum + (one.untilAt ?? now) - one.fromAt, 0)
  return {
    disagreements: found.sort((a, b) => b.fromAt - a.fromAt),
    agreement: comparedMs > 0 ? Math.max(0, 100 * (1 - differingMs / comparedMs)) : null,
  }
}

const spansOf = ({ org_id: orgId, id }: Run) =>
  q.selectFrom('shadow_spans').where('org_id', '=', orgId).where('run_id', '=', id)

const differing = (run: Run) => spansOf(run).select('num').where(sql<boolean>`theirs <> ours`)

function* differingSpans(run: Run): DbWork<ReadonlyMap<number, readonly Span[]>> {
  const rows = yield* execute(
    spansOf(run)
      .select(['num', 'from_at as fromAt', 'until_at as untilAt', 'theirs', 'ours'])
      .where('num', 'in', differing(run))
      .orderBy('from_at'),
  )
  const spans = rows.map((row) => ({ ...row, theirs: row.theirs as TheirState, ours: row.ours as OurState }))
  return Map.groupBy(spans, ({ num }) => num)
}

function* incidentsOf(run: Run): DbWork<ReadonlyMap<number, readonly SeenIncident[]>> {
  const rows = yield* execute(
    q
      .selectFrom('incidents')
      .select(['num', 'id', 'started_at as startedAt', 'resolved_at as resolvedAt', 'cause_code as causeCode'])
      .where('org_id', '=', run.org_id)
      .where('num', 'in', differing(run))
      .where((is) => is.or([is('resolved_at', 'is', null), is('resolved_at', '>=', run.started_at)]))
      .orderBy('seq'),
  )
  return Map.groupBy(rows, ({ num }) => num)
}

interface ComparedMonitor {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly rules: Rules
}

/** Without monitors that were deleted. */
function* monitorsOf(run: Run, confirmDelaysSeconds: readonly number[]): DbWork<readonly ComparedMonitor[]> {
  const rows = yield* execute(
    q
      .selectFrom('monitors')
      .select(['num', 'id', 'name', 'type', 'interval_seconds', 'grace_seconds', 'options'])
      .where('org_id', '=', run.org_id)
      .where('num', 'in', differing(run)),
  )
  return rows.map(({ num, id, name, type, options, ...row }) => {
    const { confirmation } = (options === null ? {} : JSON.parse(options)) as MonitorOptions
    const timing = { intervalSeconds: row.interval_seconds, graceSeconds: row.grace_seconds }
    return { num, id, name, rules: rulesOf({ type, ...timing, confirmation, confirmDelaysSeconds }) }
  })
}

function* comparedTime(run: Run, now: number): DbWork<number> {
  const time = sql<number>`cast(coalesce(sum(coalesce(until_at, ${now}) - from_at), 0) as bigint)`
  const [row] = yield* execute(
    spansOf(run)
      .select(time.as('ms'))
      .where('num', '<>', TOOL_NUM)
      .where('theirs', 'in', ['UP', 'DOWN'])
      .where('ours', 'in', ['UP', 'DOWN']),
  )
  return row?.ms ?? 0
}
