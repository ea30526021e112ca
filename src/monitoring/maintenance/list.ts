import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { type ListPage, listPage } from '../../storage/list-index.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { MaintenanceStatus } from '../maintenance-coverage/types.ts'
import { renderWindow } from './render.ts'
import { windowsOf } from './rows.ts'
import { MaintenanceQuery, MaintenanceWindowPage } from './schema.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'
import { isShownOn } from './shown-on-page.ts'

type Query = Static<typeof MaintenanceQuery>

export const listMaintenanceWindows = operation({
  id: 'listMaintenanceWindows',
  method: 'GET',
  path: '/maintenance-windows',
  access: 'read',
  tag: 'Maintenance windows',
  summary: 'List maintenance windows',
  description: 'In order of creation.',
  query: MaintenanceQuery,
  answer: { status: 200, schema: MaintenanceWindowPage, description: 'A page of maintenance windows' },
  *handle({ caller: { orgId }, now }, { query }) {
    const { limit, offset } = query
    const found = yield* findWindows(orgId, query, now)
    const data = found.rows.map((row) => renderWindow(row, now))
    return { data, pagination: { limit, offset, total: found.total } }
  },
})

function* findWindows(
  orgId: string,
  { limit, offset, ...query }: Query,
  now: number,
): DbWork<ListPage<MaintenanceRow>> {
  const { status, monitorId, statusPageId, startsAfter, startsBefore } = query
  let matching = windowsOf(orgId).orderBy('w.seq')
  if (status !== undefined) {
    const { outdated, matchingIds } = yield* outdatedWindows(orgId, status, now)
    matching = matching.where((is) => {
      const asStored = is('w.status', '=', status)
      if (outdated.length === 0) return asStored
      const upToDate = is.and([asStored, is('w.id', 'not in', outdated)])
      return matchingIds.length === 0 ? upToDate : is.or([upToDate, is('w.id', 'in', matchingIds)])
    })
  }
  if (monitorId !== undefined) {
    const monitors = q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', monitorId)
    const [found] = yield* execute(monitors)
    if (found === undefined) return { rows: [], total: 0 }
    matching = matching.where((is) => is.or([is('w.all_monitors', '=', 1), covers(orgId, found.num)]))
  }
  if (statusPageId !== undefined) matching = matching.where(isShownOn(orgId, statusPageId))
  if (startsAfter !== undefined) matching = matching.where('w.starts_at', '>', parseTimestamp(startsAfter))
  if (startsBefore !== undefined) matching = matching.where('w.starts_at', '<', parseTimestamp(startsBefore))
  const isWhole = Object.keys(query).length === 0
  return yield* listPage(matching, { limit, offset }, isWhole ? { orgId, kind: 'maintenance' } : undefined)
}

function covers(orgId: string, num: number) {
  return sql<boolean>`w.id in (select window_id from maintenance_monitors where org_id = ${orgId} and num = ${num})`
}

/** Windows whose stored status is out of date because a transition is due, and those of them that have `status` now. */
function* outdatedWindows(
  orgId: string,
  status: MaintenanceStatus,
  now: number,
): DbWork<{ readonly outdated: readonly string[]; readonly matchingIds: readonly string[] }> {
  const rows = yield* execute(windowsOf(orgId).where('w.next_transition_at', '<=', now))
  const matching = rows.filter((row) => phaseAt(timingOf(row), now).status === status)
  return { outdated: rows.map(({ id }) => id), matchingIds: matching.map(({ id }) => id) }
}
