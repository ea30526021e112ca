import { isoTimestamp, isoTimestampOrNull } from '../../../lib/timestamp.ts'
import { overallText } from '../pages/overall-text.ts'
import type { IncidentView, UpdateView } from '../views/incident-views.ts'
import type { MaintenanceView } from '../views/maintenance-views.ts'
import type { MonitorPageStatus, MonitorView, PageView, SectionView } from '../views/page-view.ts'

/**
 * The summary.json of the Statuspage API, which many tools can read: `page`, `status`, `components`, unresolved `incidents`
 * and running or upcoming `scheduled_maintenances`.
 */
export function summaryJson(view: PageView): string {
  const all = components(view)
  const byId = new Map(all.map((component) => [component.id, component]))
  return JSON.stringify({
    page: pageOf(view),
    components: all,
    incidents: view.active.map((incident) => incidentOf(incident, view, byId)),
    scheduled_maintenances: view.maintenance.map((each) => maintenanceOf(each, view, byId)),
    status: statusOf(view),
  })
}

/** The status.json of the Statuspage API. */
export function statusJson(view: PageView): string {
  return JSON.stringify({ page: pageOf(view), status: statusOf(view) })
}

/** `updated_at` is the latest change of any content, not the time of the request, so that the ETag stays the same. */
function pageOf({ page, editedAt, sections, active, past, maintenance }: PageView) {
  const changes = [
    editedAt,
    ...sections.flatMap(({ monitors }) => monitors.map(({ since }) => since ?? 0)),
    ...[...active, ...past].map(({ updatedAt }) => updatedAt),
    ...maintenance.map(({ window }) => window.updated_at),
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
  const { overall, active } = view
  // An active incident with impact counts even if all monitors are operational.
  const isOpen = overall === 'OPERATIONAL' && active.some(({ impact }) => impact !== 'NONE')
  return {
    indicator: isOpen ? 'minor' : indicators[overall],
    description: overallText(view),
  }
}

/**
 * The statuses of the Statuspage format. It has none for paused and pending monitors; they do not count for the page, so they
 * are reported as operational.
 */
const componentStatuses = {
  OPERATIONAL: 'operational',
  DEGRADED: 'degraded_performance',
  PARTIAL_OUTAGE: 'partial_outage',
  MAJOR_OUTAGE: 'major_outage',
  MAINTENANCE: 'under_maintenance',
  PAUSED: 'operational',
  PENDING: 'operational',
} as const satisfies Record<MonitorPageStatus, string>

/** From best to worst; a section has the worst status of its monitors. */
const severities = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
] as const
type ComponentStatus = (typeof severities)[number]

type Component = ReturnType<typeof componentOf> | ReturnType<typeof groupOf>

/** Sections as groups, each followed by its monitors. A monitor in several sections belongs to the first. */
function components(view: PageView): readonly Component[] {
  const listed = new Set<string>()
  return view.sections.flatMap((section, i) => {
    const groupId = `section-${i + 1}`
    const unlisted = section.monitors.filter(({ id }) => !listed.has(id))
    for (const { id } of unlisted) listed.add(id)
    return [
      groupOf(section, groupId, i + 1, view),
      ...unlisted.map((monitor, index) => componentOf(monitor, groupId, index + 1, view)),
    ]
  })
}

function componentOf(monitor: MonitorView, groupId: string, position: number, { page }: PageView) {
  const { id, name, status, since, createdAt, updatedAt } = monitor
  return {
    id,
    name,
    status: componentStatuses[status],
    created_at: isoTimestamp(createdAt),
    updated_at: isoTimestamp(Math.max(updatedAt, since ?? 0)),
    position,
    description: null,
    showcase: page.showUptime,
    start_date: isoTimestamp(createdAt).slice(0, 10),
    group_id: groupId,
    page_id: page.id,
    group: false,
    only_show_if_degraded: false,
  }
}

function groupOf({ name, monitors }: SectionView, id: string, position: number, { page, editedAt }: PageView) {
  const statuses = monitors.map(({ status }): ComponentStatus => componentStatuses[status])
  const at = isoTimestamp(editedAt)
  return {
    id,
    name,
    status: severities.findLast((status) => statuses.includes(status)) ?? 'operational',
    created_at: at,
    updated_at: at,
    position,
    description: null,
    showcase: false,
    start_date: null,
    group_id: null,
    page_id: page.id,
    group: true,
    only_show_if_degraded: false,
    components: monitors.map((monitor) => monitor.id),
  }
}

type Components = ReadonlyMap<string, Component>

function incidentOf(incident: IncidentView, { page }: PageView, byId: Components) {
  const { id, title, state, impact, startedAt, updatedAt, resolvedAt, affected, updates } = incident
  const monitoring = updates.find((update) => update.state === 'MONITORING')
  return {
    id,
    name: title,
    status: state.toLowerCase(),
    created_at: isoTimestamp(updates.at(-1)?.publishedAt ?? startedAt),
    updated_at: isoTimestamp(updatedAt),
    monitoring_at: isoTimestampOrNull(monitoring?.publishedAt ?? null),
    resolved_at: isoTimestampOrNull(resolvedAt),
    impact: impact.toLowerCase(),
    shortlink: `${page.url}/incidents/${id}`,
    started_at: isoTimestamp(startedAt),
    page_id: page.id,
    incident_updates: updates.map((update, i) => updateOf(update, updates[i + 1], id, byId)),
    components: affected.flatMap(({ monitorId }) => byId.get(monitorId) ?? []),
  }
}

function updateOf(
  { id, state, message, publishedAt, affected }: UpdateView,
  before: UpdateView | undefined,
  incidentId: string,
  byId: Components,
) {
  const at = isoTimestamp(publishedAt)
  const earlier = new Map(before?.affected.map(({ monitorId, status }) => [monitorId, status]))
  const changed = affected.flatMap(({ monitorId, status }) => {
    const component = byId.get(monitorId)
    if (component === undefined) return []
    const old = componentStatuses[earlier.get(monitorId) ?? 'OPERATIONAL']
    return [{ code: monitorId, name: component.name, old_status: old, new_status: componentStatuses[status] }]
  })
  return {
    id,
    status: state.toLowerCase(),
    body: message,
    incident_id: incidentId,
    created_at: at,
    updated_at: at,
    display_at: at,
    affected_components: changed,
  }
}

function maintenanceOf({ window, startsAt, endsAt }: MaintenanceView, { page, at }: PageView, byId: Components) {
  const { id, name, description, created_at, updated_at } = window
  const status = startsAt <= at ? 'in_progress' : 'scheduled'
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
    started_at: isoTimestamp(startsAt),
    page_id: page.id,
    incident_updates: [
      {
        id: `${id}-${startsAt}`,
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
    scheduled_for: isoTimestamp(startsAt),
    scheduled_until: isoTimestamp(endsAt),
  }
}
