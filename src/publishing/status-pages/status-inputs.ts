import { maintainedNow } from '../../monitoring/maintenance/standing.ts'
import type { MonitorState } from '../../monitoring/monitor-settings/schema.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { statusesPublishedOn } from '../published-incidents/queries.ts'
import { type OverallStatus, overallOf, type Shown } from './overall-status.ts'

export interface ShownMonitor extends Shown {
  readonly num: number
}

/** How the monitors on these pages stand, in as many questions for a hundred pages as for one. */
export function* monitorsOn(
  orgId: string,
  pageIds: readonly string[],
  now: number,
): DbWork<ReadonlyMap<string, readonly ShownMonitor[]>> {
  if (pageIds.length === 0) return new Map()
  const rows = yield* execute(
    q
      .selectFrom('status_page_monitors as p')
      .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'p.num').onRef('s.org_id', '=', 'p.org_id'))
      .select(['p.page_id', 'p.num', 's.state'])
      .where('p.org_id', '=', orgId)
      .where('p.page_id', 'in', pageIds),
  )
  const judge = yield* judgeOf(orgId, pageIds, now)
  const shown = new Map<string, ShownMonitor[]>(pageIds.map((id) => [id, []]))
  for (const { page_id: pageId, num, state } of rows) shown.get(pageId)?.push(judge(pageId, num, state))
  return shown
}

/** Completes what the checks found of a monitor with what else is known of it on a page. */
export type Judge = (pageId: string, num: number, state: MonitorState) => ShownMonitor

export function* judgeOf(orgId: string, pageIds: readonly string[], now: number): DbWork<Judge> {
  const isMaintained = yield* maintainedNow(orgId, now)
  const published = Map.groupBy(yield* statusesPublishedOn(orgId, pageIds), ({ page_id: id, num }) => `${id} ${num}`)
  return (pageId, num, state) => ({
    num,
    state,
    inMaintenance: isMaintained(pageId, num),
    published: published.get(`${pageId} ${num}`)?.map(({ status }) => status) ?? [],
  })
}

export function* overallStatusesOf(
  orgId: string,
  pageIds: readonly string[],
  now: number,
): DbWork<(pageId: string) => OverallStatus> {
  const monitors = yield* monitorsOn(orgId, pageIds, now)
  return (pageId) => overallOf(monitors.get(pageId) ?? [])
}
