import { type Expression, sql } from 'kysely'
import { DAY_MS } from '../../../lib/clock.ts'
import type { MonitorState } from '../../../monitoring/monitor-states/state.ts'
import { all, cacheable, type DbWork, first, q, statement } from '../../../storage/query.ts'
import type { PageRow } from '../../status-pages/render.ts'
import { type NotableDay, notableDay, type StoredDays } from '../uptime/daily-uptime.ts'

/** A page that may be rendered: where it is stored, and what is stored. */
export type StoredPage = PageRow & { readonly org_id: string }

/** A page of this organization; everything else about it is asked with both. */
export interface PageKey {
  readonly orgId: string
  readonly pageId: string
}

const published = () => q.selectFrom('status_pages as p').selectAll('p').where('p.published', '=', 1)

const bySlug = cacheable(({ name }: { name: string }) =>
  published()
    .innerJoin('status_page_slugs as s', (on) => on.onRef('s.org_id', '=', 'p.org_id').onRef('s.page_id', '=', 'p.id'))
    .where('s.slug', '=', name),
)

const byDomain = cacheable(({ name }: { name: string }) =>
  published()
    .innerJoin('status_page_domains as d', (on) =>
      on.onRef('d.org_id', '=', 'p.org_id').onRef('d.page_id', '=', 'p.id'),
    )
    .where('d.domain', '=', name),
)

/** By what a visitor knows of it. Slugs and domains are unique on the installation, so this names the organization. */
export type SlugOrDomain = { readonly slug: string } | { readonly domain: string }

/** A published page; one that is not published is not there. */
export function* publishedPage(name: SlugOrDomain): DbWork<StoredPage | undefined> {
  return 'slug' in name ? yield* first(bySlug, { name: name.slug }) : yield* first(byDomain, { name: name.domain })
}

export interface MonitorRow {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly rendered: string
  readonly state: MonitorState
  readonly memory: string
  readonly last_response_ms: number | null
  readonly last_status_changed_at: number | null
}

const onPage = ({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_page_monitors as p')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'p.num').onRef('m.org_id', '=', 'p.org_id'))
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'p.num').onRef('s.org_id', '=', 'p.org_id'))
    .select(['m.num', 'm.id', 'm.name', 'm.rendered', 's.state', 's.memory'])
    .select(['s.last_response_ms', 's.last_status_changed_at'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)

const monitorsOnPage = statement((pageKey: PageKey) => onPage(pageKey))

const monitorOnPage = statement((of: PageKey & { readonly id: string }) => onPage(of).where('m.id', '=', of.id))

export function* monitorsOf(pageKey: PageKey): DbWork<readonly MonitorRow[]> {
  return yield* all(monitorsOnPage, pageKey)
}

export function* monitorOf(pageKey: PageKey, id: string): DbWork<MonitorRow | undefined> {
  return yield* first(monitorOnPage, { ...pageKey, id })
}

interface Reach extends PageKey {
  readonly from: number
}

/** How far the days of the monitors on a page reach, and how many there are: found by their key. */
const spansOnPage = ({ orgId, pageId, from }: Reach) =>
  q
    .selectFrom('status_page_monitors as p')
    .select('p.num')
    .select(overDays(sql<number | null>`min(d.start_at)`, from).as('first_at'))
    .select(overDays(sql<number | null>`max(d.start_at)`, from).as('last_at'))
    .select(overDays(sql<number>`count(*)`, from).as('days'))
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)

function overDays<T>(of: Expression<T>, from: number) {
  return sql<T>`(select ${of} from rollup_days d where d.num = p.num and d.start_at >= ${from})`
}

/** Their days that were not up from end to end, out of an index that holds no others. */
const notableOnPage = ({ orgId, pageId, from }: Reach) =>
  q
    .selectFrom('status_page_monitors as p')
    // A number is one monitor's on the whole installation; comparing organizations as well would cost a fifth more.
    .innerJoin('rollup_days as d', 'd.num', 'p.num')
    .select(['d.num', 'd.start_at', 'd.up_ms', 'd.degraded_ms', 'd.down_ms', 'd.paused_ms', 'd.maintenance_ms'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)
    .where('d.start_at', '>=', from)
    .where(sql<boolean>`(d.up_ms <> ${sql.lit(DAY_MS)} or d.degraded_ms > 0)`)

const spansOfAll = statement((of: Reach) => spansOnPage(of))
const notableOfAll = statement((of: Reach) => notableOnPage(of))

const spanOfOne = statement((of: Reach & { readonly num: number }) => spansOnPage(of).where('p.num', '=', of.num))
const notableOfOne = statement((of: Reach & { readonly num: number }) => notableOnPage(of).where('p.num', '=', of.num))

export function* daysOfMonitors(pageKey: PageKey, from: number): DbWork<ReadonlyMap<number, StoredDays>> {
  const days = new Map<number, StoredDays>()
  const periods = yield* all(spansOfAll, { ...pageKey, from })
  const notable = Map.groupBy((yield* all(notableOfAll, { ...pageKey, from })).map(notableDay), ({ num }) => num)
  for (const period of periods) {
    const stored = yield* storedIn(pageKey, period, notable.get(period.num) ?? [], from)
    if (stored !== undefined) days.set(period.num, stored)
  }
  return days
}

export function* daysOfMonitor(pageKey: PageKey, num: number, from: number): DbWork<StoredDays | undefined> {
  const period = yield* first(spanOfOne, { ...pageKey, num, from })
  const notable = yield* all(notableOfOne, { ...pageKey, num, from })
  return period && (yield* storedIn(pageKey, period, notable.map(notableDay), from))
}

const knownDays = statement(({ orgId, num, from }: { orgId: string; num: number; from: number }) =>
  q
    .selectFrom('rollup_days')
    .select('start_at')
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .where('start_at', '>=', from),
)

interface Span {
  readonly num: number
  readonly first_at: number | null
  readonly last_at: number | null
  readonly days: number
}

/** Where days are missing between the first and the last, somebody has to look which. */
function* storedIn(
  { orgId }: PageKey,
  { num, first_at: firstAt, last_at: lastAt, days }: Span,
  notable: readonly NotableDay[],
  from: number,
): DbWork<StoredDays | undefined> {
  if (firstAt === null || lastAt === null) return undefined
  const hasGaps = days !== (lastAt - firstAt) / DAY_MS + 1
  const known = hasGaps ? (yield* all(knownDays, { orgId, num, from })).map(({ start_at: at }) => at) : null
  return { count: days, firstAt, lastAt, known, notable }
}
