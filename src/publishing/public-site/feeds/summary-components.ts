import { isoTimestamp } from '../../../lib/timestamp.ts'
import type { MonitorPageStatus, MonitorView, PageView, SectionView } from '../views/page-view.ts'

/**
 * The statuses of the Statuspage format. It has none for paused and pending monitors; they do not count for the page, so they
 * are reported as operational.
 */
export const componentStatuses = {
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

export type Component = ReturnType<typeof componentOf> | ReturnType<typeof groupOf>

/** Sections as groups, each followed by its monitors. A monitor in several sections belongs to the first. */
export function components(view: PageView): readonly Component[] {
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
