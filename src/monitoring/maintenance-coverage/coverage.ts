import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { parseStored } from '../../lib/json.ts'
import { all, cacheable, type DbRead, type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { MaintenanceCoverageTable } from '../../storage/schema/maintenance.ts'
import { LAST_DAY } from './days.ts'
import { endOfLastOccurrence, occurrencesWithin, phaseAt } from './occurrences.ts'
import type { Span, WindowTiming } from './types.ts'

/** Later than any time that the API can express. */
const FOREVER = (LAST_DAY + 1) * DAY_MS

/** Records that a window covers these monitors (a JSON array of their numbers; null for all) from now on. Returns the row's id; null if no occurrence is left. */
export function* openCoverage(
  orgId: string,
  timing: WindowTiming,
  nums: string | null,
  now: number,
): DbWork<string | null> {
  const { current, next } = phaseAt(timing, now)
  if (current === null && next === null) return null
  const id = newId('mw', now)
  const from = current === null && next !== null ? next.startsAt : now
  const until = endOfLastOccurrence(timing) ?? FOREVER
  const row = { org_id: orgId, id, from_at: from, until_at: until, monitor_nums: nums, timing: JSON.stringify(timing) }
  yield* execute(q.insertInto('maintenance_coverage').values(row))
  return id
}

/** Ends a coverage now. What it covered before stays covered; one that has not begun is deleted. */
export function* closeCoverage(orgId: string, id: string | null, now: number): DbWork<void> {
  if (id === null) return
  const isThis = { org_id: orgId, id }
  yield* execute(
    q
      .updateTable('maintenance_coverage')
      .set({ until_at: now })
      .where((is) => is.and(isThis))
      .where('until_at', '>', now),
  )
  yield* execute(
    q
      .deleteFrom('maintenance_coverage')
      .where((is) => is.and(isThis))
      .where('from_at', '>=', now),
  )
}

type Row = MaintenanceCoverageTable

const rowsBetween = (from: number, to: number) =>
  q.selectFrom('maintenance_coverage').selectAll().where('until_at', '>', from).where('from_at', '<', to)

const ofOrganization = cacheable(({ orgId, from, to }: { orgId: string; from: number; to: number }) =>
  rowsBetween(from, to).where('org_id', '=', orgId),
)

/** The range is widened to whole hours, so that the cached query is reused. */
function* rowsOf(orgIds: ReadonlySet<string>, earliest: number, latest: number): DbRead<readonly Row[]> {
  const from = Math.floor(earliest / HOUR_MS) * HOUR_MS
  const to = Math.floor(latest / HOUR_MS + 1) * HOUR_MS
  const [orgId] = orgIds
  if (orgId !== undefined && orgIds.size === 1) return yield* all(ofOrganization, { orgId, from, to })
  return yield* execute(rowsBetween(from, to).where('org_id', 'in', [...orgIds]))
}

interface Parsed {
  readonly timing: WindowTiming
  readonly nums: ReadonlySet<number> | null
}

/** Rows are immutable except for their end, so they are parsed once. */
const parsed = new Map<string, Parsed>()
const MAX_PARSED = 2_000

function parse({ id, timing, monitor_nums: nums }: Row): Parsed {
  let known = parsed.get(id)
  if (known === undefined) {
    known = { timing: parseStored(timing), nums: nums === null ? null : new Set(parseStored(nums)) }
    if (parsed.size >= MAX_PARSED) parsed.clear()
    parsed.set(id, known)
  }
  return known
}

/** When a monitor is in maintenance: sorted spans that do not touch. */
export type CoverageLookup = (orgId: string, num: number) => readonly Span[]

const nothing: readonly Span[] = []

/** When the monitors of these organizations are in maintenance between `from` and `to`. */
export function* coverageOf(orgIds: ReadonlySet<string>, from: number, to: number): DbRead<CoverageLookup> {
  const rows = orgIds.size === 0 ? [] : yield* rowsOf(orgIds, from, to)
  if (rows.length === 0) return () => nothing
  const covers = rows.map((row) => {
    const { timing, nums } = parse(row)
    return { orgId: row.org_id, nums, spans: spansOf(row, timing, from, to) }
  })
  return (orgId, num) => {
    const its = covers.filter((cover) => cover.orgId === orgId && (cover.nums === null || cover.nums.has(num)))
    return its.length === 0
      ? nothing
      : its.length === 1
        ? (its[0]?.spans ?? nothing)
        : mergeSpans(its.flatMap(({ spans }) => spans))
  }
}

/** The monitors of an organization that are in maintenance at this time. */
export function* monitorsCovered(orgId: string, at: number): DbWork<ReadonlySet<number> | 'all'> {
  const covered = new Set<number>()
  for (const row of yield* rowsOf(new Set([orgId]), at, at)) {
    const { timing, nums } = parse(row)
    if (!isWithin(spansOf(row, timing, at, at), at)) continue
    if (nums === null) return 'all'
    for (const num of nums) covered.add(num)
  }
  return covered
}

function spansOf({ from_at, until_at }: Row, timing: WindowTiming, from: number, to: number): readonly Span[] {
  const [earliest, latest] = [Math.max(from, from_at), Math.min(to + 1, until_at)]
  if (earliest >= latest) return nothing
  const occurrences = occurrencesWithin(timing, earliest, latest, Number.POSITIVE_INFINITY)
  return mergeSpans(
    occurrences.map(({ startsAt, endsAt }) => ({
      from: Math.max(startsAt, from_at),
      to: Math.min(endsAt, until_at),
    })),
  )
}

/** The union, as sorted spans that do not touch. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last === undefined || span.from > last.to) joined.push(span)
    else if (span.to > last.to) joined[joined.length - 1] = { from: last.from, to: span.to }
  }
  return joined
}

export function isWithin(spans: readonly Span[], at: number): boolean {
  return spans.some(({ from, to }) => from <= at && at < to)
}

/** Deletes up to `limit` coverage rows that no ledger can need. Returns how many. */
export const pruneCoverage = pruning({
  table: 'maintenance_coverage',
  key: ['org_id', 'id'],
  by: 'until_at',
  // A state is valid for at most two periods of 30 days and the grace; no ledger needs older coverage.
  keptMs: 64 * DAY_MS,
})
