import { isoTimestamp } from '../../../lib/timestamp.ts'
import type { MonitorPageStatus, MonitorView, SectionView } from '../views/page-view.ts'
import type { SummaryView } from '../views/summary-view.ts'

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

export interface Component {
  readonly id: string
  readonly name: string
  readonly status: ComponentStatus
  readonly created_at: string
  readonly updated_at: string
  readonly position: number
  readonly description: string | null
  readonly showcase: boolean
  readonly start_date: string | null
  readonly group_id: string | null
  readonly page_id: string
  readonly group: boolean
  readonly only_show_if_degraded: boolean
  /** Only of sections: the ids of their monitors. */
  readonly components?: readonly string[]
}

/** Sections as groups, each followed by its monitors. A monitor in several sections belongs to the first. */
export function components(summary: SummaryView): readonly Component[] {
  const listed = new Set<string>()
  return summary.view.sections.flatMap((section, i) => {
    const groupId = `section-${i + 1}`
    const unlisted = section.monitors.filter(({ id }) => !listed.has(id))
    for (const { id } of unlisted) listed.add(id)
    return [
      groupOf(section, groupId, i + 1, summary),
      ...unlisted.map((monitor, index) => componentOf(monitor, groupId, index + 1, summary)),
    ]
  })
}

function componentOf(monitor: MonitorView, groupId: string, position: number, summary: SummaryView): Component {
  const { id, name, status, since } = monitor
  const times = summary.monitorDates.get(id) ?? { created_at: 0, updated_at: 0 }
  return {
    id,
    name,
    status: componentStatuses[status],
    created_at: isoTimestamp(times.created_at),
    updated_at: isoTimestamp(Math.max(times.updated_at, since ?? 0)),
    position,
    description: null,
    showcase: summary.view.page.showUptime,
    start_date: isoTimestamp(times.created_at).slice(0, 10),
    group_id: groupId,
    page_id: summary.view.page.id,
    group: false,
    only_show_if_degraded: false,
  }
}

function groupOf({ name, monitors }: SectionView, id: string, position: number, summary: SummaryView): Component {
  const statuses = monitors.map(({ status }): ComponentStatus => componentStatuses[status])
  const at = isoTimestamp(summary.editedAt)
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
    page_id: summary.view.page.id,
    group: true,
    only_show_if_degraded: false,
    components: monitors.map((monitor) => monitor.id),
  }
}
