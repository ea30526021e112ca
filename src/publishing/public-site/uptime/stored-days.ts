import { type Expression, sql } from 'kysely'
import { DAY_MS } from '../../../lib/clock.ts'
import { all, type DbWork, first, q, statement } from '../../../storage/query.ts'
import type { PageKey } from '../queries/pages.ts'
import { type NotableDay, notableDay, type StoredDays } from './daily-uptime.ts'

interface DaysQuery extends PageKey {
  readonly from: number
}

/** First day, last day and number of days of every monitor; read from the primary key alone. */
const rangesOnPage = ({ orgId, pageId, from }: DaysQuery) =>
  q
    .selectFrom('status_page_monitors as p')
    .select('p.num')
    .select(aggregateDays(sql<number | null>`min(d.start_at)`, from).as('first_at'))
    .select(aggregateDays(sql<number | null>`max(d.start_at)`, from).as('last_at'))
    .select(aggregateDays(sql<number>`count(*)`, from).as('days'))
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)

function aggregateDays<T>(aggregate: Expression<T>, from: number) {
  return sql<T>`(select ${aggregate} from rollup_days d where d.num = p.num and d.start_at >= ${from})`
}

/** Days that were not up throughout. A partial index holds only these. */
const notableOnPage = ({ orgId, pageId, from }: DaysQuery) =>
  q
    .selectFrom('status_page_monitors as p')
    // Monitor numbers are unique in the installation; comparing org_id too would make this query 20 % slower.
    .innerJoin('rollup_days as d', 'd.num', 'p.num')
    .select(['d.num', 'd.start_at', 'd.up_ms', 'd.degraded_ms', 'd.down_ms', 'd.paused_ms', 'd.maintenance_ms'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)
    .where('d.start_at', '>=', from)
    .where(sql<boolean>`(d.up_ms <> ${sql.lit(DAY_MS)} or d.degraded_ms > 0)`)

const rangesOfAll = statement((query: DaysQuery) => rangesOnPage(query))
const notableOfAll = statement((query: DaysQuery) => notableOnPage(query))

const rangeOfOne = statement((query: DaysQuery & { readonly num: number }) =>
  rangesOnPage(query).where('p.num', '=', query.num),
)
const notableOfOne = statement((query: DaysQuery & { readonly num: number }) =>
  notableOnPage(query).where('p.num', '=', query.num),
)

export function* daysOfMonitors(pageKey: PageKey, from: number): DbWork<ReadonlyMap<number, StoredDays>> {
  const days = new Map<number, StoredDays>()
  const ranges = yield* all(rangesOfAll, { ...pageKey, from })
  const notable = Map.groupBy((yield* all(notableOfAll, { ...pageKey, from })).map(notableDay), ({ num }) => num)
  for (const range of ranges) {
    const stored = yield* storedDays(pageKey, range, notable.get(range.num) ?? [], from)
    if (stored !== undefined) days.set(range.num, stored)
  }
  return days
}

export function* daysOfMonitor(pageKey: PageKey, num: number, from: number): DbWork<StoredDays | undefined> {
  const range = yield* first(rangeOfOne, { ...pageKey, num, from })
  const notable = yield* all(notableOfOne, { ...pageKey, num, from })
  return range && (yield* storedDays(pageKey, range, notable.map(notableDay), from))
}

const startsOfDays = statement(({ orgId, num, from }: { orgId: string; num: number; from: number }) =>
  q
    .selectFrom('rollup_days')
    .select('start_at')
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .where('start_at', '>=', from),
)

interface DayRange {
  readonly num: number
  readonly first_at: number | null
  readonly last_at: number | null
  readonly days: number
}

/** Reads the start of every day only if days are missing between the first and the last. */
function* storedDays(
  { orgId }: PageKey,
  { num, first_at: firstAt, last_at: lastAt, days }: DayRange,
  notable: readonly NotableDay[],
  from: number,
): DbWork<StoredDays | undefined> {
  if (firstAt === null || lastAt === null) return undefined
  const hasGaps = days !== (lastAt - firstAt) / DAY_MS + 1
  const known = hasGaps ? (yield* all(startsOfDays, { orgId, num, from })).map(({ start_at: at }) => at) : null
  return { count: days, firstAt, lastAt, known, notable }
}
