import { isoTimestamp } from '../../../lib/timestamp.ts'
import type { AffectedStatus } from '../../../storage/schema/status-pages.ts'
import type { MonitorPageStatus, MonitorView, SectionView } from '../views/page-view.ts'
import type { SummaryView } from '../views/summary-view.ts'

/**
 * The words that others use for how a component stands. They have none for one of which nothing is known, such as a paused
 * one; it counts for nothing on the page, so it is told as what changes nothing.
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

export const affectedStatuses: Readonly<Record<AffectedStatus, string>> = componentStatuses

/** From good to bad, for a section is as bad as the worst in it. */
const order = ['operational', 'under_maintenance', 'degraded_performance', 'partial_outage', 'major_outage'] as const
type ComponentStatus = (typeof order)[number]

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
  /** Only of sections: the ids of what is in it. */
  readonly components?: readonly string[]
}

/** Sections as groups, each followed by its monitors. A monitor in several of them is a component of the first. */
export function components(summary: SummaryView): readonly Component[] {
  const known = new Set<string>()
  return summary.view.sections.flatMap((section, i) => {
    const groupId = `section-${i + 1}`
    const fresh = section.monitors.filter(({ id }) => !known.has(id))
    for (const { id } of fresh) known.add(id)
    return [
      groupOf(section, groupId, i + 1, summary),
      ...fresh.map((monitor, pageKey) => componentOf(monitor, groupId, pageKey + 1, summary)),
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
    status: order.findLast((status) => statuses.includes(status)) ?? 'operational',
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
