import { DAY_MS } from '../../../lib/clock.ts'
import type { DbWork } from '../../../storage/query.ts'
import {
  monitorStatus,
  type OverallStatus,
  overallStatus,
  type StatusInput,
} from '../../status-pages/overall-status.ts'
import { parseSettings, publicUrlOf } from '../../status-pages/render.ts'
import type { Section } from '../../status-pages/schema.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import { activeIncidents, announcementsOf, incidentsStarted } from '../queries/incidents.ts'
import { type MonitorRow, monitorsOf } from '../queries/monitors.ts'
import type { PageKey, StoredPage } from '../queries/pages.ts'
import { firstDayOf, type LiveState, type UptimeHistory, uptimeHistoryOf } from '../uptime/daily-uptime.ts'
import { daysOfMonitors } from '../uptime/stored-days.ts'
import { type IncidentView, incidentViews } from './incident-views.ts'
import { type MaintenanceView, maintenanceViews } from './maintenance-views.ts'

/** What a page's owner set, as far as it is shown. */
export interface PageInfo extends ReturnType<typeof parseSettings> {
  readonly orgId: string
  readonly id: string
  readonly name: string
  /** Where people find it. */
  readonly url: string
}

/** How a monitor stands: as on the whole page, or why nothing is known of it. */
export type ShownStatus = OverallStatus | 'PAUSED' | 'PENDING'

export interface MonitorView {
  readonly id: string
  readonly name: string
  readonly status: ShownStatus
  /** Since when its state is what it is. */
  readonly since: number | null
  readonly lastResponseMs: number | null
  /** Null on a page that has too many monitors for bars. */
  readonly history: UptimeHistory | null
}

export interface SectionView {
  readonly name: string
  readonly monitors: readonly MonitorView[]
}

/** How many of the monitors stand how; each counts once, however many sections it stands in. */
export type Counts = Readonly<Record<ShownStatus | 'total', number>>

/**
 * A status page as a plain value: everything that any way of showing it needs (HTML, feeds, JSON, badges), read at one
 * moment. Times are milliseconds since the epoch.
 */
export interface PageView {
  readonly page: PageInfo
  /** When this was read. */
  readonly at: number
  readonly overall: OverallStatus
  readonly counts: Counts
  readonly sections: readonly SectionView[]
  /** The start of the first day of all bars, in UTC. */
  readonly firstDayAt: number
  /** Published incidents that are not resolved, latest first. */
  readonly active: readonly IncidentView[]
  /** Published incidents that were resolved, of the last days, latest first. */
  readonly past: readonly IncidentView[]
  readonly running: readonly MaintenanceView[]
  readonly next: readonly MaintenanceView[]
}

/** Incidents are shown for so long after they began or ended. */
export const PAST_DAYS = 14
/** One that ended lately may have begun so long before. */
const LONGEST_INCIDENT_DAYS = 60
/** Of an incident so many updates are shown with the page; all of them stand on the incident's own. */
const UPDATES_SHOWN = 10
/** A page with more monitors than this shows how they stand, without bars: a visitor must not cost seconds. */
export const MAX_BARS = 300

export function pageInfoOf(row: StoredPage, baseUrl: string): PageInfo {
  return {
    ...parseSettings(row.settings),
    orgId: row.org_id,
    id: row.id,
    name: row.name,
    url: publicUrlOf(row, baseUrl),
  }
}

export function pageKeyOf(row: StoredPage): PageKey {
  return { orgId: row.org_id, pageId: row.id }
}

/** Reads a page in one fixed set of questions, whatever it shows. */
export function* pageView(row: StoredPage, baseUrl: string, now: number): DbWork<PageView> {
  const page = pageInfoOf(row, baseUrl)
  const pageKey = pageKeyOf(row)
  const rows = yield* monitorsOf(pageKey)
  const judge = yield* statusInputsOn(pageKey.orgId, [pageKey.pageId], now)
  const shown = new Map(rows.map((monitor) => [monitor.num, judge(pageKey.pageId, monitor.num, monitor.state)]))
  const firstDayAt = firstDayOf(now, page.historyDays) * DAY_MS
  const stored = rows.length > MAX_BARS ? undefined : yield* daysOfMonitors(pageKey, firstDayAt)
  const monitors = new Map(
    rows.map((monitor) => {
      const statusInput = shown.get(monitor.num) as StatusInput
      const history =
        stored && uptimeHistoryOf(stored.get(monitor.num), liveStateOf(monitor, statusInput), page.historyDays, now)
      return [monitor.id, monitorView(monitor, statusInput, history ?? null)]
    }),
  )
  const names = displayNamesOn(row, monitors.values())
  const named = rows.map(({ num, id }) => ({ num, name: names.get(id) as string }))
  const since = now - (PAST_DAYS + LONGEST_INCIDENT_DAYS) * DAY_MS
  const announced = yield* announcementsOf(pageKey.orgId, since)
  const active = announced.active ? yield* activeIncidents(pageKey) : []
  const lately = announced.lately ? yield* incidentsStarted(pageKey, since, now) : []
  const past = lately.filter(({ resolved_at: end }) => end !== null && end >= now - PAST_DAYS * DAY_MS)
  const incidents = yield* incidentViews(pageKey.orgId, [...active, ...past], names, UPDATES_SHOWN)
  return {
    page,
    at: now,
    overall: overallStatus(shown.values()),
    counts: countsOf(monitors.values()),
    sections: sectionsOf(row).map((section) => sectionView(section, monitors)),
    firstDayAt,
    active: incidents.slice(0, active.length),
    past: incidents.slice(active.length),
    ...(announced.maintenance ? yield* maintenanceViews(pageKey, named, now) : { running: [], next: [] }),
  }
}

export function sectionsOf(row: StoredPage): readonly Section[] {
  return JSON.parse(row.sections)
}

/** Written out, for rows of the database take long to spread. */
export function liveStateOf({ state, memory, rendered }: MonitorRow, { inMaintenance }: StatusInput): LiveState {
  return { state, inMaintenance, memory, rendered }
}

export function monitorView(monitor: MonitorRow, statusInput: StatusInput, history: UptimeHistory | null): MonitorView {
  const { id, name, state, last_status_changed_at: since, last_response_ms: lastResponseMs } = monitor
  const status = monitorStatus(statusInput) ?? (state === 'PAUSED' ? 'PAUSED' : 'PENDING')
  return { id, name, status, since, lastResponseMs, history }
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

/** What this page calls its monitors; of others it knows no name. */
export type DisplayNames = ReadonlyMap<string, string>

export function displayNamesOn(
  row: StoredPage,
  monitors: Iterable<{ readonly id: string; readonly name: string }>,
): DisplayNames {
  const names = new Map<string, string>()
  for (const { id, name } of monitors) names.set(id, name)
  for (const section of sectionsOf(row)) {
    for (const { monitorId, displayName } of section.monitors) {
      if (displayName !== null && names.has(monitorId)) names.set(monitorId, displayName)
    }
  }
  return names
}

function countsOf(monitors: Iterable<MonitorView>): Counts {
  const counts = {
    ...{ OPERATIONAL: 0, DEGRADED: 0, PARTIAL_OUTAGE: 0, MAJOR_OUTAGE: 0, MAINTENANCE: 0, PAUSED: 0, PENDING: 0 },
    total: 0,
  }
  for (const { status } of monitors) {
    counts[status] += 1
    counts.total += 1
  }
  return counts
}
