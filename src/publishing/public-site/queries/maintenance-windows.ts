import { windowsOf } from '../../../monitoring/maintenance/rows.ts'
import type { MaintenanceRow } from '../../../monitoring/maintenance/settings.ts'
import { isShownOn } from '../../../monitoring/maintenance/shown-on-page.ts'
import { type DbWork, execute } from '../../../storage/query.ts'
import type { PageKey } from './pages.ts'

const MAX_WINDOWS = 100

export type PageWindow = MaintenanceRow & {
  readonly isAll: boolean
  readonly monitorIds: readonly string[]
}

/** The windows shown on a page that may take place between `from` and `to`, newest first. */
export function* windowsOnPage({ orgId, pageId }: PageKey, from: number, to: number): DbWork<readonly PageWindow[]> {
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
  return rows.map((row) => ({ ...row, isAll: row.all_monitors === 1, monitorIds: JSON.parse(row.monitor_ids) }))
}
