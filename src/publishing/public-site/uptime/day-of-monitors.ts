import { all, type DbWork, q, statement } from '../../../storage/query.ts'
import type { PageKey } from '../queries/pages.ts'
import { type NotableDay, notableDay } from './daily-uptime.ts'

const rollupsOfDay = statement(({ orgId, pageId, startAt }: PageKey & { readonly startAt: number }) =>
  q
    .selectFrom('status_page_monitors as p')
    .innerJoin('rollup_days as d', 'd.num', 'p.num')
    .select(['d.num', 'd.start_at', 'd.up_ms', 'd.degraded_ms', 'd.down_ms', 'd.paused_ms', 'd.maintenance_ms'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)
    .where('d.start_at', '=', startAt),
)

/** The roll-up of one day for every monitor of a page that has one, by the number of the monitor. */
export function* dayOfMonitors(pageKey: PageKey, startAt: number): DbWork<ReadonlyMap<number, NotableDay>> {
  const rows = yield* all(rollupsOfDay, { ...pageKey, startAt })
  return new Map(rows.map((row) => [row.num, notableDay(row)]))
}
