import { type Expression, sql } from 'kysely'
import { DAY_MS } from '../lib/clock.ts'
import type { MonitorState } from '../monitors/schema.ts'
import type { PageRow } from '../statuspages/render.ts'
import { all, first, keepable, q, statement, type Work } from '../storage/query.ts'
import { countOf, notableIn, type StoredDays } from './days.ts'

/** A page that may be shown: where it is stored, and what is stored. */
export type FoundPage = PageRow & { readonly org_id: string }

/** A page of this organization; everything else about it is asked with both. */
export interface Place {
  readonly orgId: string
  readonly pageId: string
}

const published = () => q.selectFrom('status_pages as p').selectAll('p').where('p.published', '=', 1)

const bySlug = keepable(({ name }: { name: string }) =>
  published()
    .innerJoin('status_page_slugs as s', (on) => on.onRef('s.org_id', '=', 'p.org_id').onRef('s.page_id', '=', 'p.id'))
    .where('s.slug', '=', name),
)

const byDomain = keepable(({ name }: { name: string }) =>
  published()
    .innerJoin('status_page_domains as d', (on) =>
      on.onRef('d.org_id', '=', 'p.org_id').onRef('d.page_id', '=', 'p.id'),
    )
    .where('d.domain', '=', name),
)

/** By what a visitor knows of it. Slugs and domains are unique on the installation, so this names the organization. */
export type Name = { readonly slug: string } | { readonly domain: string }

/** A published page; one that is not published is not there. */
export function* publishedPage(name: Name): Work<FoundPage | undefined> {
  return 'slug' in name ? yield* first(bySlug, { name: name.slug }) : yield* first(byDomain, { name: name.domain })
}

export interface MonitorRow {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly shown: string
  readonly state: MonitorState
  readonly memory: string
  readonly last_response_ms: number | null
  readonly last_status_changed_at: number | null
}

const onPage = ({ orgId, pageId }: Place) =>
  q
    .selectFrom('status_page_monitors as p')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'p.num').onRef('m.org_id', '=', 'p.org_id'))
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'p.num').onRef('s.org_id', '=', 'p.org_id'))
    .select(['m.num', 'm.id', 'm.name', 'm.shown', 's.state', 's.memory'])
    .select(['s.last_response_ms', 's.last_status_changed_at'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)

const monitorsOnPage = statement((place: Place) => onPage(place))

const monitorOnPage = statement((of: Place & { readonly id: string }) => onPage(of).where('m.id', '=', of.id))

export function* monitorsOf(place: Place): Work<readonly MonitorRow[]> {
  return yield* all(monitorsOnPage, place)
}

export function* monitorOf(place: Place, id: string): Work<MonitorRow | undefined> {
  return yield* first(monitorOnPage, { ...place, id })
}

/** Whole numbers: PostgreSQL adds them up to what has no bound, and tells that as text. */
const total = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`

/** Days that were not up from end to end, as text: a day's number, and where its time went (see `notableIn`). */
const notable = sql<string | null>`string_agg(
  cast(d.start_at / ${sql.lit(DAY_MS)} as text) || ':' || d.up_ms || ':' || d.degraded_ms || ':' || d.down_ms || ':' ||
    d.paused_ms || ':' || d.maintenance_ms, ',') filter (where d.up_ms <> ${sql.lit(DAY_MS)} or d.degraded_ms > 0)`

/**
 * A row for each monitor reads several times as fast as one for each day: where its days begin and end, what is notable
 * of them, and as few sums as do, all put together where they are stored.
 */
const storedDays = ({ orgId, pageId, from }: Place & { readonly from: number }) =>
  q
    .selectFrom('status_page_monitors as p')
    // A number is one monitor's on the whole installation; comparing organizations as well would cost a fifth more.
    .innerJoin('rollup_days as d', 'd.num', 'p.num')
    .select(['p.num', total('d.up_ms').as('up_ms'), notable.as('notable')])
    .select(outermost(sql<number>`min(e.start_at)`, from).as('first_at'))
    .select(outermost(sql<number>`max(e.start_at)`, from).as('last_at'))
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)
    .where('d.start_at', '>=', from)
    .groupBy('p.num')

/** Found by the key, where an aggregate would look at every day. */
function outermost(of: Expression<number>, from: number) {
  return sql<number>`(select ${of} from rollup_days e where e.num = p.num and e.start_at >= ${from})`
}

const daysOfAll = statement((of: Place & { readonly from: number }) => storedDays(of))

const daysOfOne = statement((of: Place & { readonly from: number; readonly num: number }) =>
  storedDays(of).where('p.num', '=', of.num),
)

export function* daysOfMonitors(place: Place, from: number): Work<ReadonlyMap<number, StoredDays>> {
  const days = new Map<number, StoredDays>()
  for (const row of yield* all(daysOfAll, { ...place, from })) days.set(row.num, yield* withGaps(place, row, from))
  return days
}

export function* daysOfMonitor(place: Place, num: number, from: number): Work<StoredDays | undefined> {
  const row = yield* first(daysOfOne, { ...place, num, from })
  return row && (yield* withGaps(place, row, from))
}

const knownDays = statement(({ orgId, num, from }: { orgId: string; num: number; from: number }) =>
  q
    .selectFrom('rollup_days')
    .select('start_at')
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .where('start_at', '>=', from),
)

interface DaysRow {
  readonly num: number
  readonly up_ms: number
  readonly first_at: number
  readonly last_at: number
  readonly notable: string | null
}

/** Where days are missing between the first and the last, somebody has to look which. */
function* withGaps({ orgId }: Place, row: DaysRow, from: number): Work<StoredDays> {
  const { num, up_ms: upMs, first_at: firstAt, last_at: lastAt } = row
  const notable = notableIn(row.notable)
  const hasGaps = countOf(upMs, notable) !== (lastAt - firstAt) / DAY_MS + 1
  const known = hasGaps ? (yield* all(knownDays, { orgId, num, from })).map(({ start_at: at }) => at) : null
  return { upMs, firstAt, lastAt, known, notable }
}
