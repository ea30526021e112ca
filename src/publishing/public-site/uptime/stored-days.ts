import { type Expression, sql } from 'kysely'
import { DAY_MS } from '../../../lib/clock.ts'
import { type DbWork, execute, q } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import type { NotableDay, StoredDays } from './daily-uptime.ts'

/** First day, last day and number of days of every monitor; read from the primary key alone. */
const rangesOnPage = ({ orgId, pageId }: PageKey, from: number) =>
  q
    .selectFrom('status_page_monitors as p')
    .select('p.num')
    .select(aggregateDays(sql<number | null>`min(d.start_at)`, from).as('firstAt'))
    .select(aggregateDays(sql<number | null>`max(d.start_at)`, from).as('lastAt'))
    .select(aggregateDays(sql<number>`count(*)`, from).as('count'))
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)

function aggregateDays<T>(aggregate: Expression<T>, from: number) {
  return sql<T>`(select ${aggregate} from rollup_days d where d.num = p.num and d.start_at >= ${from})`
}

const daysOnPage = ({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_page_monitors as p')
    // Monitor numbers are unique in the installation; comparing org_id too would make this query 20 % slower.
    .innerJoin('rollup_days as d', 'd.num', 'p.num')
    .select(['d.num', 'd.start_at as startAt', 'd.up_ms as upMs', 'd.degraded_ms as degradedMs'])
    .select(['d.down_ms as downMs', 'd.paused_ms as pausedMs', 'd.maintenance_ms as maintenanceMs'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)

/** Days that were not up throughout. A partial index holds only these. */
const notableOnPage = (pageKey: PageKey, from: number) =>
  daysOnPage(pageKey)
    .where('d.start_at', '>=', from)
    .where(sql<boolean>`(d.up_ms <> ${sql.lit(DAY_MS)} or d.degraded_ms > 0)`)

/** The roll-up of one day for every monitor of a page that has one, by the number of the monitor. */
export function* dayOfMonitors(pageKey: PageKey, startAt: number): DbWork<ReadonlyMap<number, NotableDay>> {
  const rows = yield* execute(daysOnPage(pageKey).where('d.start_at', '=', startAt))
  return new Map(rows.map((row) => [row.num, row]))
}

export function* daysOfMonitors(pageKey: PageKey, from: number): DbWork<ReadonlyMap<number, StoredDays>> {
  const days = new Map<number, StoredDays>()
  const ranges = yield* execute(rangesOnPage(pageKey, from))
  const notable = Map.groupBy(yield* execute(notableOnPage(pageKey, from)), ({ num }) => num)
  for (const range of ranges) {
    const stored = yield* storedDays(pageKey, range, notable.get(range.num) ?? [], from)
    if (stored !== undefined) days.set(range.num, stored)
  }
  return days
}

export function* daysOfMonitor(pageKey: PageKey, num: number, from: number): DbWork<StoredDays | undefined> {
  const [range] = yield* execute(rangesOnPage(pageKey, from).where('p.num', '=', num))
  const notable = yield* execute(notableOnPage(pageKey, from).where('p.num', '=', num))
  return range && (yield* storedDays(pageKey, range, notable, from))
}

interface DayRange {
  readonly num: number
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly count: number
}

/** Reads the start of every day only if days are missing between the first and the last. */
function* storedDays(
  { orgId }: PageKey,
  { num, firstAt, lastAt, count }: DayRange,
  notable: readonly NotableDay[],
  from: number,
): DbWork<StoredDays | undefined> {
  if (firstAt === null || lastAt === null) return undefined
  const hasGaps = count !== (lastAt - firstAt) / DAY_MS + 1
  const starts = q.selectFrom('rollup_days').select('start_at').where('org_id', '=', orgId).where('num', '=', num)
  const known = hasGaps ? (yield* execute(starts.where('start_at', '>=', from))).map((row) => row.start_at) : null
  return { count, firstAt, lastAt, known, notable }
}
