import { all, type DbWork, q, statement } from '../../../storage/query.ts'
import type { Place } from './pages.ts'

const made = statement(({ orgId, pageId }: Place) =>
  q
    .selectFrom('status_page_monitors as p')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'p.num').onRef('m.org_id', '=', 'p.org_id'))
    .select(['m.id', 'm.created_at', 'm.updated_at'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId),
)

export interface Made {
  readonly created_at: number
  readonly updated_at: number
}

/** When the monitors of a page were made and last changed, by their ids. */
export function* timesOfMonitors(place: Place): DbWork<ReadonlyMap<string, Made>> {
  return new Map((yield* all(made, place)).map((row) => [row.id, row]))
}
