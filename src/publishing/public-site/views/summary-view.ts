import { DAY_MS } from '../../../lib/clock.ts'
import { timingOf } from '../../../monitoring/maintenance/settings.ts'
import { phaseAt } from '../../../monitoring/maintenance-coverage/occurrences.ts'
import type { Occurrence } from '../../../monitoring/maintenance-coverage/types.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { Affected } from '../../published-incidents/schema.ts'
import { type UpdateRow, updatesOf } from '../queries/incidents.ts'
import { type PageWindow, windowsOnPage } from '../queries/maintenance-windows.ts'
import { type MonitorDates, monitorDatesOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type PageView, pageKeyOf, pageView } from './page-view.ts'

/** The page view with the additional data of the JSON summary. */
export interface SummaryView {
  readonly view: PageView
  /** When the settings of the page last changed. */
  readonly editedAt: number
  readonly monitorDates: ReadonlyMap<string, MonitorDates>
  /** Updates of the active incidents, newest first. */
  readonly updates: ReadonlyMap<string, readonly SummaryUpdate[]>
  /** Running and upcoming, by start. */
  readonly windows: readonly ScheduledWindow[]
}

export interface SummaryUpdate {
  readonly row: UpdateRow
  readonly affected: readonly Affected[]
}

export interface ScheduledWindow {
  readonly window: PageWindow
  readonly isRunning: boolean
  readonly occurrence: Occurrence
}

const MAX_UPDATES = 20
const ANNOUNCED_DAYS = 30
const MAX_WINDOWS = 25

export function* summaryView(row: StoredPage, baseUrl: string, now: number): DbWork<SummaryView> {
  const pageKey = pageKeyOf(row)
  const view = yield* pageView(row, baseUrl, now)
  const ids = view.active.map(({ id }) => id)
  const updates = yield* updatesOf(pageKey.orgId, ids, MAX_UPDATES)
  const parsed = updates.map((update): SummaryUpdate => ({ row: update, affected: JSON.parse(update.affected) }))
  return {
    view,
    editedAt: row.updated_at,
    monitorDates: yield* monitorDatesOf(pageKey),
    updates: Map.groupBy(parsed, (update) => update.row.published_id),
    windows: scheduledWindows(yield* windowsOnPage(pageKey, now, now + ANNOUNCED_DAYS * DAY_MS), now),
  }
}

function scheduledWindows(windows: readonly PageWindow[], now: number): ScheduledWindow[] {
  const found = windows.flatMap((window): ScheduledWindow[] => {
    const { current, next } = phaseAt(timingOf(window), now)
    const occurrence = current ?? next
    if (occurrence === null || occurrence.startsAt >= now + ANNOUNCED_DAYS * DAY_MS) return []
    return [{ window, isRunning: current !== null, occurrence }]
  })
  return found.toSorted((a, b) => a.occurrence.startsAt - b.occurrence.startsAt).slice(0, MAX_WINDOWS)
}
