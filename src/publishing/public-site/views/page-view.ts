import { DAY_MS } from '../../../lib/clock.ts'
import type { DbWork } from '../../../storage/query.ts'
import {
  monitorStatus,
  type OverallStatus,
  overallStatus,
  type StatusInput,
} from '../../status-pages/overall-status.ts'
import type { Section } from '../../status-pages/schema.ts'
import { sectionsShown } from '../../status-pages/selected-monitors.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import { activeIncidents, incidentsStarted } from '../queries/incidents.ts'
import { type MonitorRow, monitorsOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { firstDayOf, type LiveState, type UptimeHistory, uptimeHistoryOf } from '../uptime/daily-uptime.ts'
import { type HourlyMedians, hourlyMediansOn } from '../uptime/response-times.ts'
import { daysOfMonitors } from '../uptime/stored-days.ts'
import { type DayNotes, dayNotesOf } from './day-notes.ts'
import { type IncidentView, incidentViews } from './incident-views.ts'
import { announcedMaintenance, type MaintenanceView } from './maintenance-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, sectionsOf } from './page-info.ts'

/** The status of a monitor, or why it is unknown. */
export type MonitorPageStatus = OverallStatus | 'PAUSED' | 'PENDING'

export interface MonitorView {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  /** When its settings last changed. */
  readonly updatedAt: number
  readonly status: MonitorPageStatus
  /** When the state last changed. */
  readonly since: number | null
  /** Null while the monitor is down. */
  readonly lastResponseMs: number | null
  /** Null if the page shows no response times or no bars, and on a monitor's own page. */
  readonly medians: HourlyMedians | null
  /** Null on a page with more than MAX_BARS entries. */
  readonly history: UptimeHistory | null
}

export interface SectionView {
  readonly name: string
  readonly monitors: readonly MonitorView[]
}

/** The number of monitors by status. A monitor in several sections counts once. */
type Counts = Readonly<Record<MonitorPageStatus | 'total', number>>

/**
 * All data of a status page, read in one transaction; HTML, JSON and badges are rendered from it. Times are milliseconds
 * since the epoch.
 */
export interface PageView {
  readonly page: PageInfo
  /** When the data was read. */
  readonly at: number
  /** When the settings of the page last changed. */
  readonly editedAt: number
  readonly overall: OverallStatus
  readonly counts: Counts
  readonly sections: readonly SectionView[]
  /** Start of the first day of the bars, in UTC. */
  readonly firstDayAt: number
  /** Days in the bars: `historyDays`, or fewer on a page with many monitors. */
  readonly dayCount: number
  /** Incidents by monitor and day, of the latest MAX_INCIDENTS. */
  readonly notes: DayNotes
  /** Unresolved published incidents, latest first. */
  readonly active: readonly IncidentView[]
  /** Published incidents resolved within the last PAST_DAYS, latest first. */
  readonly past: readonly IncidentView[]
  /** The running or next occurrence of every window, by start. */
  readonly maintenance: readonly MaintenanceView[]
}

/** Resolved incidents are shown for this long. */
export const PAST_DAYS = 14
/** Incidents that lasted longer than this are not found among the resolved ones. */
const MAX_INCIDENT_DAYS = 60
/** Per incident; the incident's own page shows all updates. */
const MAX_UPDATES = 20
/** A page with more entries shows no bars: it could not be read, or rendered, within 50 ms. */
export const MAX_BARS = 300
/** Every day of every bar is a link. A page with more shows fewer days, but never fewer than MIN_DAYS. */
const MAX_DAY_LINKS = 9_000
const MIN_DAYS = 30

/** Reads a page in a fixed number of queries. */
export function* pageView(row: StoredPage, baseUrl: string, now: number): DbWork<PageView> {
  const page = pageInfoOf(row, baseUrl)
  const { key } = page
  const rows = yield* monitorsOf(key)
  const inputOf = yield* statusInputsOn(key.orgId, [key.pageId], now)
  const statusInputs = new Map(rows.map((monitor) => [monitor.num, inputOf(key.pageId, monitor.num, monitor.state)]))
  const sections = yield* sectionsShown(key, sectionsOf(row))
  const entryCount = sections.reduce((sum, { monitors }) => sum + monitors.length, 0)
  const dayCount = dayCountOf(entryCount, page.historyDays)
  const firstDayAt = firstDayOf(now, dayCount) * DAY_MS
  const stored = entryCount > MAX_BARS ? undefined : yield* daysOfMonitors(key, firstDayAt)
  const nums = rows.map(({ num }) => num)
  const medians = stored && page.showResponseTimes ? yield* hourlyMediansOn(key.pageId, nums, now) : undefined
  const monitors = new Map(
    rows.map((monitor) => {
      const statusInput = statusInputs.get(monitor.num) as StatusInput
      const history =
        stored && uptimeHistoryOf(stored.get(monitor.num), liveStateOf(monitor, statusInput), dayCount, now)
      const view = monitorView(monitor, statusInput, history ?? null)
      return [monitor.id, { ...view, medians: medians?.get(monitor.num) ?? null }]
    }),
  )
  const names = yield* displayNamesOn(row, rows)
  const since = Math.min(firstDayAt, now - (PAST_DAYS + MAX_INCIDENT_DAYS) * DAY_MS)
  const active = yield* activeIncidents(key)
  const recent = yield* incidentsStarted(key, since, now)
  const past = recent.filter(({ resolved_at: end }) => end !== null && end >= now - PAST_DAYS * DAY_MS)
  const incidents = yield* incidentViews(key.orgId, [...active, ...past], names, MAX_UPDATES)
  return {
    page,
    at: now,
    editedAt: row.updated_at,
    overall: overallStatus(statusInputs.values()),
    counts: countsOf(monitors.values()),
    sections: sections.map((section) => sectionView(section, monitors)),
    firstDayAt,
    dayCount,
    notes: dayNotesOf([...active, ...recent], firstDayAt, now),
    active: incidents.slice(0, active.length),
    past: incidents.slice(active.length),
    maintenance: yield* announcedMaintenance(key, names, now),
  }
}

function dayCountOf(entryCount: number, historyDays: number): number {
  return Math.min(historyDays, Math.max(MIN_DAYS, Math.floor(MAX_DAY_LINKS / Math.max(1, entryCount))))
}

export function liveStateOf(row: MonitorRow, { inMaintenance }: StatusInput): LiveState {
  return { ...row, inMaintenance }
}

export function monitorView(monitor: MonitorRow, statusInput: StatusInput, history: UptimeHistory | null): MonitorView {
  const { id, name, state, created_at: createdAt, updated_at: updatedAt, last_status_changed_at: since } = monitor
  // How fast an error came says nothing about the service.
  const lastResponseMs = state === 'DOWN' ? null : monitor.last_response_ms
  const status = monitorStatus(statusInput) ?? (state === 'PAUSED' ? 'PAUSED' : 'PENDING')
  return { id, name, createdAt, updatedAt, status, since, lastResponseMs, medians: null, history }
}

function sectionView({ name, monitors }: Section, known: ReadonlyMap<string, MonitorView>): SectionView {
  return {
    name,
    monitors: monitors.flatMap(({ monitorId, displayName }) => {
      const monitor = known.get(monitorId)
      return monitor === undefined ? [] : [displayName === null ? monitor : { ...monitor, name: displayName }]
    }),
  }
}

function countsOf(monitors: Iterable<MonitorView>): Counts {
  const counts = {
    OPERATIONAL: 0,
    DEGRADED: 0,
    PARTIAL_OUTAGE: 0,
    MAJOR_OUTAGE: 0,
    MAINTENANCE: 0,
    PAUSED: 0,
    PENDING: 0,
    total: 0,
  }
  for (const { status } of monitors) {
    counts[status] += 1
    counts.total += 1
  }
  return counts
}
