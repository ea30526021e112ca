import { isoTimestamp, isoTimestampOrNull } from '../../../lib/timestamp.ts'
import { translatorFor } from '../languages/translator.ts'
import { overallText } from '../pages/overall-text.ts'
import type { IncidentView } from '../views/incident-views.ts'
import type { PageView } from '../views/page-view.ts'
import type { ScheduledWindow, SummaryUpdate, SummaryView } from '../views/summary-view.ts'
import { type Component, componentStatuses, components } from './summary-components.ts'

/**
 * The summary.json of the Statuspage API, which many tools can read: `page`, `status`, `components`, unresolved `incidents`
 * and running or upcoming `scheduled_maintenances`.
 */
export function summaryJson(summary: SummaryView): string {
  const { view, windows } = summary
  const all = components(summary)
  const byId = new Map(all.map((component) => [component.id, component]))
  return JSON.stringify({
    page: pageOf(summary),
    components: all,
    incidents: view.active.map((incident) => incidentOf(incident, summary, byId)),
    scheduled_maintenances: windows.map((window) => maintenanceOf(window, view, byId)),
    status: statusOf(view),
  })
}

/** The status.json of the Statuspage API. */
export function statusJson(summary: SummaryView): string {
  return JSON.stringify({ page: pageOf(summary), status: statusOf(summary.view) })
}

/** `updated_at` is the latest change of any content, not the time of the request, so that the ETag stays the same. */
function pageOf({ view, editedAt, windows }: SummaryView) {
  const { page, sections, active, past } = view
  const changes = [
    editedAt,
    ...sections.flatMap(({ monitors }) => monitors.map(({ since }) => since ?? 0)),
    ...[...active, ...past].map(({ updatedAt }) => updatedAt),
    ...windows.map(({ window }) => window.updated_at),
  ]
  return {
    id: page.id,
    name: page.name,
    url: page.url,
    time_zone: page.timezone,
    updated_at: isoTimestamp(changes.reduce((latest, at) => Math.max(latest, at), 0)),
  }
}

const indicators = {
  OPERATIONAL: 'none',
  DEGRADED: 'minor',
  PARTIAL_OUTAGE: 'major',
  MAJOR_OUTAGE: 'critical',
  MAINTENANCE: 'maintenance',
} as const

function statusOf(view: PageView) {
  const { overall, active, page } = view
  // An active incident with impact counts even if all monitors are operational.
  const isOpen = overall === 'OPERATIONAL' && active.some(({ impact }) => impact !== 'NONE')
  return {
    indicator: isOpen ? 'minor' : indicators[overall],
    description: overallText(view, translatorFor(page.locale, page.timezone)),
  }
}

type Components = ReadonlyMap<string, Component>

function incidentOf(incident: IncidentView, { view, updates }: SummaryView, byId: Components) {
  const { id, title, state, impact, startedAt, updatedAt, resolvedAt, affected } = incident
  const posted = updates.get(id) ?? []
  const monitoring = posted.find(({ row }) => row.status === 'MONITORING')
  const first = posted.at(-1)
  return {
    id,
    name: title,
    status: state.toLowerCase(),
    created_at: isoTimestamp(first === undefined ? startedAt : first.row.published_at),
    updated_at: isoTimestamp(updatedAt),
    monitoring_at: monitoring === undefined ? null : isoTimestamp(monitoring.row.published_at),
    resolved_at: isoTimestampOrNull(resolvedAt),
    impact: impact.toLowerCase(),
    shortlink: `${view.page.url}/incidents/${id}`,
    started_at: isoTimestamp(startedAt),
    page_id: view.page.id,
    incident_updates: posted.map((update, i) => updateOf(update, posted[i + 1], id, byId)),
    components: affected.flatMap(({ monitorId }) => byId.get(monitorId) ?? []),
  }
}

function updateOf(
  { row, affected }: SummaryUpdate,
  before: SummaryUpdate | undefined,
  incidentId: string,
  byId: Components,
) {
  const at = isoTimestamp(row.published_at)
  const earlier = new Map(before?.affected.map(({ monitorId, status }) => [monitorId, status]))
  const changed = affected.flatMap(({ monitorId, status }) => {
    const component = byId.get(monitorId)
    if (component === undefined) return []
    const old = componentStatuses[earlier.get(monitorId) ?? 'OPERATIONAL']
    return [{ code: monitorId, name: component.name, old_status: old, new_status: componentStatuses[status] }]
  })
  return {
    id: row.id,
    status: row.status.toLowerCase(),
    body: row.message,
    incident_id: incidentId,
    created_at: at,
    updated_at: at,
    display_at: at,
    affected_components: changed,
  }
}

function maintenanceOf({ window, isRunning, occurrence }: ScheduledWindow, { page }: PageView, byId: Components) {
  const { id, name, description, created_at, updated_at } = window
  const status = isRunning ? 'in_progress' : 'scheduled'
  const covered = [...byId.values()].filter(
    (component) => !component.group && (window.isAll || window.monitorIds.includes(component.id)),
  )
  const times = { created_at: isoTimestamp(created_at), updated_at: isoTimestamp(updated_at) }
  return {
    id,
    name,
    status,
    ...times,
    monitoring_at: null,
    resolved_at: null,
    impact: 'maintenance',
    shortlink: page.url,
    started_at: isoTimestamp(occurrence.startsAt),
    page_id: page.id,
    incident_updates: [
      {
        id: `${id}-${occurrence.startsAt}`,
        status,
        body: description ?? name,
        incident_id: id,
        ...times,
        display_at: times.updated_at,
        affected_components: covered.map(({ id: code, name, status: new_status }) => ({
          code,
          name,
          old_status: componentStatuses.OPERATIONAL,
          new_status,
        })),
      },
    ],
    components: covered,
    scheduled_for: isoTimestamp(occurrence.startsAt),
    scheduled_until: isoTimestamp(occurrence.endsAt),
  }
}
