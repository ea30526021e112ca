import { DAY_MS } from '../../../lib/clock.ts'
import type { DbWork } from '../../../storage/query.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import { incidentsOfMonitor, type Outage, outagesOf } from '../queries/incidents.ts'
import { monitorOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { firstDayOf, uptimeHistoryOf } from '../uptime/daily-uptime.ts'
import { daysOfMonitor } from '../uptime/stored-days.ts'
import { type UptimePeriods, uptimePeriodsOf } from '../uptime/uptime-periods.ts'
import { dayNotesOf, type NotesOfMonitor } from './day-notes.ts'
import { type IncidentView, incidentViews } from './incident-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, pageKeyOf } from './page-info.ts'
import { liveStateOf, type MonitorView, monitorView } from './page-view.ts'

export interface MonitorPageView {
  readonly page: PageInfo
  readonly at: number
  readonly monitor: MonitorView
  readonly firstDayAt: number
  readonly notes: NotesOfMonitor | undefined
  readonly uptime: UptimePeriods
  readonly outages: readonly Outage[]
  readonly incidents: readonly IncidentView[]
}

/** Undefined if the page does not show this monitor. */
export function* monitorPageView(
  row: StoredPage,
  baseUrl: string,
  id: string,
  now: number,
): DbWork<MonitorPageView | undefined> {
  const page = pageInfoOf(row, baseUrl)
  const pageKey = pageKeyOf(row)
  const found = yield* monitorOf(pageKey, id)
  if (found === undefined) return undefined
  const { num } = found
  const statusInput = (yield* statusInputsOn(pageKey.orgId, [pageKey.pageId], now))(pageKey.pageId, num, found.state)
  const firstDayAt = firstDayOf(now, page.historyDays) * DAY_MS
  const stored = yield* daysOfMonitor(pageKey, num, firstDayAt)
  const liveState = liveStateOf(found, statusInput)
  const names = yield* displayNamesOn(row)
  const monitor = monitorView(found, statusInput, uptimeHistoryOf(stored, liveState, page.historyDays, now))
  const published = yield* incidentsOfMonitor(pageKey, num, firstDayAt)
  return {
    page,
    at: now,
    monitor: { ...monitor, name: names.get(id) ?? monitor.name },
    firstDayAt,
    notes: dayNotesOf(published, firstDayAt, now).get(id),
    uptime: yield* uptimePeriodsOf(num, now),
    outages: yield* outagesOf(pageKey.orgId, num, firstDayAt),
    incidents: yield* incidentViews(pageKey.orgId, published, names, 1),
  }
}
