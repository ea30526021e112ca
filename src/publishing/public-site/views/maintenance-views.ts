import { DAY_MS } from '../../../lib/clock.ts'
import { timingOf } from '../../../monitoring/maintenance/settings.ts'
import { occurrencesWithin, phaseAt } from '../../../monitoring/maintenance-coverage/occurrences.ts'
import type { Occurrence } from '../../../monitoring/maintenance-coverage/types.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import { type PageWindow, windowsOnPage } from '../queries/maintenance-windows.ts'
import type { DisplayNames } from './page-info.ts'

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
