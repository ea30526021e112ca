import { DAY_MS } from '../../../lib/clock.ts'
import { parseStored } from '../../../lib/json.ts'
import { windowsOf } from '../../../monitoring/maintenance/rows.ts'
import { type MaintenanceRow, timingOf } from '../../../monitoring/maintenance/settings.ts'
import { isShownOn } from '../../../monitoring/maintenance/shown-on-page.ts'
import { occurrencesWithin, phaseAt } from '../../../monitoring/maintenance-coverage/occurrences.ts'
import type { Occurrence } from '../../../monitoring/maintenance-coverage/types.ts'
import { type DbWork, execute, q } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import type { DisplayNames } from './page-info.ts'

const MAX_WINDOWS = 100

type PageWindow = MaintenanceRow & {
  readonly isAll: boolean
  readonly monitorIds: readonly string[]
}

/** One occurrence of a maintenance window. */
export interface MaintenanceView extends Occurrence {
  readonly window: PageWindow
  /** Whether it covers every monitor of the page. */
  readonly coversAll: boolean
  /** Display names of the covered monitors of the page. */
  readonly monitors: readonly string[]
}

/** Windows are announced if they start within this time. */
const ANNOUNCED_DAYS = 30
const MAX_ANNOUNCED = 25

/** The running or next occurrence of every window of a page, by start. */
export function* announcedMaintenance(
  pageKey: PageKey,
  names: DisplayNames,
  now: number,
): DbWork<readonly MaintenanceView[]> {
  const until = now + ANNOUNCED_DAYS * DAY_MS
  const windows = yield* windowsOnPage(pageKey, now, until)
  const announced = viewsOf(windows, names, (window) => {
    const { current, next } = phaseAt(timingOf(window), now)
    const occurrence = current ?? next
    return occurrence === null || occurrence.startsAt >= until ? [] : [occurrence]
  })
  return announced.slice(0, MAX_ANNOUNCED)
}

/** The occurrences between two times, by start; at most `limit` per window. */
export function* maintenanceBetween(
  pageKey: PageKey,
  names: DisplayNames,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): DbWork<readonly MaintenanceView[]> {
  const windows = yield* windowsOnPage(pageKey, from, to)
  return viewsOf(windows, names, (window) => {
    // A recurring window may start in the past; occurrences before its creation did not take place.
    const since = window.recurrence === 'NONE' ? from : Math.max(from, window.created_at)
    return occurrencesWithin(timingOf(window), since, to, limit)
  })
}

function viewsOf(
  windows: readonly PageWindow[],
  names: DisplayNames,
  occurrencesOf: (window: PageWindow) => readonly Occurrence[],
): MaintenanceView[] {
  const views = windows.flatMap((window) => {
    const monitors = window.monitorIds.flatMap((id) => names.get(id) ?? [])
    const coversAll = window.isAll || monitors.length === names.size
    return occurrencesOf(window).map(({ startsAt, endsAt }) => ({ window, startsAt, endsAt, coversAll, monitors }))
  })
  return views.toSorted((a, b) => a.startsAt - b.startsAt)
}

/** The windows shown on a page that may take place between `from` and `to`, newest first. */
function* windowsOnPage(pageKey: PageKey, from: number, to: number): DbWork<readonly PageWindow[]> {
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
    monitorIds: row.selector === null ? parseStored(row.monitor_ids) : (covered?.get(row.id) ?? []),
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
