import { monitorsInMaintenance } from '../../monitoring/maintenance/in-maintenance.ts'
import type { MonitorState } from '../../monitoring/monitor-states/state.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { publishedStatusesOn } from '../published-incidents/queries.ts'
import { type OverallStatus, overallStatus, type StatusInput } from './overall-status.ts'

/** Adds a page's maintenance and published incidents to the state of a monitor. */
export type StatusInputOf = (pageId: string, num: number, state: MonitorState) => StatusInput

/** Reads maintenance and published incidents of these pages in two queries. */
export function* statusInputsOn(orgId: string, pageIds: readonly string[], now: number): DbWork<StatusInputOf> {
  const isMaintained = yield* monitorsInMaintenance(orgId, now)
  const published = Map.groupBy(yield* publishedStatusesOn(orgId, pageIds), ({ page_id: id, num }) => `${id} ${num}`)
  return (pageId, num, state) => ({
    state,
    inMaintenance: isMaintained(pageId, num),
    published: published.get(`${pageId} ${num}`)?.map(({ status }) => status) ?? [],
  })
}

/** The overall status of every page, in the same number of queries for a hundred pages as for one. */
export function* overallStatusesOf(
  orgId: string,
  pageIds: readonly string[],
  now: number,
): DbWork<(pageId: string) => OverallStatus> {
  if (pageIds.length === 0) return () => overallStatus([])
  const rows = yield* execute(
    q
      .selectFrom('status_page_monitors as p')
      .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'p.num').onRef('s.org_id', '=', 'p.org_id'))
      .select(['p.page_id', 'p.num', 's.state'])
      .where('p.org_id', '=', orgId)
      .where('p.page_id', 'in', pageIds),
  )
  const inputOf = yield* statusInputsOn(orgId, pageIds, now)
  const monitors = Map.groupBy(rows, (row) => row.page_id)
  return (pageId) => overallStatus((monitors.get(pageId) ?? []).map(({ num, state }) => inputOf(pageId, num, state)))
}
