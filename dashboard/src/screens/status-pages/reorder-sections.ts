import type { DraftMonitor, DraftSection } from './draft.ts'

/** Position of a monitor: section and index. */
export interface MonitorPosition {
  readonly section: number
  readonly index: number
}

/** The dragged section or monitor. */
export type DraggedItem =
  | { readonly kind: 'section'; readonly from: number }
  | { readonly kind: 'monitor'; readonly from: MonitorPosition }

type Sections = readonly DraftSection[]

export function moveSection(sections: Sections, from: number, to: number): Sections {
  const moved = sections[from]
  if (moved === undefined || to < 0 || to >= sections.length || to === from) return sections
  return sections.toSpliced(from, 1).toSpliced(to, 0, moved)
}

function withMonitors(sections: Sections, at: number, change: (monitors: readonly DraftMonitor[]) => DraftMonitor[]) {
  return sections.map((section, i) => (i === at ? { ...section, monitors: change(section.monitors) } : section))
}

/** Moves a monitor before a position, also in another section, unless that section already contains it. */
export function moveMonitor(sections: Sections, from: MonitorPosition, to: MonitorPosition): Sections {
  const moved = sections[from.section]?.monitors[from.index]
  const goal = sections[to.section]
  if (moved === undefined || goal === undefined) return sections
  const isElsewhere = from.section !== to.section
  if (isElsewhere && goal.monitors.some(({ monitorId }) => monitorId === moved.monitorId)) return sections
  const taken = withMonitors(sections, from.section, (monitors) => monitors.toSpliced(from.index, 1))
  const index = !isElsewhere && to.index > from.index ? to.index - 1 : to.index
  return withMonitors(taken, to.section, (monitors) => monitors.toSpliced(index, 0, moved))
}

/** Moves a monitor one step, at the edge into the next section. */
export function stepMonitor(sections: Sections, { section, index }: MonitorPosition, step: -1 | 1): Sections {
  const count = sections[section]?.monitors.length ?? 0
  const isInside = step === -1 ? index > 0 : index < count - 1
  if (isInside)
    return moveMonitor(sections, { section, index }, { section, index: step === -1 ? index - 1 : index + 2 })
  const beside = sections[section + step]
  if (beside === undefined) return sections
  const to = { section: section + step, index: step === -1 ? beside.monitors.length : 0 }
  return moveMonitor(sections, { section, index }, to)
}
