import { windowsOf } from '../../../monitoring/maintenance/rows.ts'
import type { MaintenanceRow } from '../../../monitoring/maintenance/settings.ts'
import { isShownOn } from '../../../monitoring/maintenance/shown-on-page.ts'
import { type DbWork, execute, q } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'

const MAX_WINDOWS = 100

export type PageWindow = MaintenanceRow & {
  readonly isAll: boolean
  readonly monitorIds: readonly string[]
}

/** The windows shown on a page that may take place between `from` and `to`, newest first. */
export function* windowsOnPage(pageKey: PageKey, from: number, to: number): DbWork<readonly PageWindow[]> {
  const { orgId, pageId } = pageKey
  const rows: readonly MaintenanceRow[] = yield* execute(
    windowsOf(orgId)
      .where('w.starts_at', '<', to)
      .where((is) =>
        is.or([
          is('w.ends_at', '>', from),
          is.and([
            is('w.recurrence', '!=', 'NONE'),
            is.or([is('w.recurrence_ends_at', 'is', null), is('w.recurrence_ends_at', '>', from)]),
          ]),
        ]),
      )
      .where(isShownOn(orgId, pageId))
      .orderBy('w.seq', 'desc')
      .limit(MAX_WINDOWS),
  )
  const selected = rows.flatMap(({ id, selector }) => (selector === null ? [] : [id]))
  const covered = selected.length === 0 ? undefined : yield* coveredOnPage(pageKey, selected)
  return rows.map((row) => ({
    ...row,
    isAll: row.all_monitors === 1,
    monitorIds: row.selector === null ? JSON.parse(row.monitor_ids) : (covered?.get(row.id) ?? []),
  }))
}

/** The monitors of a page that these windows cover, also by selector. */
function* coveredOnPage({ orgId, pageId }: PageKey, windowIds: readonly string[]) {
  const rows = yield* execute(
    q
      .selectFrom('maintenance_monitors as w')
      .innerJoin('status_page_monitors as p', (on) =>
        on.onRef('p.org_id', '=', 'w.org_id').onRef('p.num', '=', 'w.num'),
      )
      .innerJoin('monitors as m', 'm.num', 'w.num')
      .select(['w.window_id', 'm.id'])
      .where('w.org_id', '=', orgId)
      .where('p.page_id', '=', pageId)
      .where('w.window_id', 'in', windowIds)
      .orderBy('m.num'),
  )
  const ids = new Map<string, string[]>()
  for (const { window_id: windowId, id } of rows) ids.set(windowId, [...(ids.get(windowId) ?? []), id])
  return ids
}
