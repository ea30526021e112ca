import { all, type DbWork, q, statement } from '../../../storage/query.ts'
import type { PageKey } from './pages.ts'

const monitorDates = statement(({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_page_monitors as p')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'p.num').onRef('m.org_id', '=', 'p.org_id'))
    .select(['m.id', 'm.created_at', 'm.updated_at'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId),
)

export interface MonitorDates {
  readonly created_at: number
  readonly updated_at: number
}

/** When the monitors of a page were made and last changed, by their ids. */
export function* monitorDatesOf(pageKey: PageKey): DbWork<ReadonlyMap<string, MonitorDates>> {
  return new Map((yield* all(monitorDates, pageKey)).map((row) => [row.id, row]))
}
