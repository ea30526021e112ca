import { DAY_MS } from '../../../lib/clock.ts'
import { maintenanceOnPage, type PageMaintenance } from '../../../monitoring/maintenance/page-maintenance.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { PageKey } from '../queries/pages.ts'

/** One occurrence of a maintenance window. */
export interface MaintenanceView {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly startsAt: number
  readonly endsAt: number
  /** Whether it covers every monitor of the page. */
  readonly coversAll: boolean
  /** Display names of the covered monitors of the page. */
  readonly monitors: readonly string[]
}

/** The next windows are shown if they start within this time. */
const ANNOUNCED_DAYS = 30
const MAX_ANNOUNCED = 5

/** Running and upcoming maintenance of a page. `monitors` are the monitors of the page. */
export function* maintenanceViews(
  pageKey: PageKey,
  monitors: readonly { readonly num: number; readonly name: string }[],
  now: number,
): DbWork<{ running: readonly MaintenanceView[]; next: readonly MaintenanceView[] }> {
  const windows = yield* maintenanceOnPage(pageKey, now, now + ANNOUNCED_DAYS * DAY_MS)
  const isRunning = ({ status }: PageMaintenance): boolean => status === 'IN_PROGRESS'
  const viewOf = (window: PageMaintenance): MaintenanceView => {
    const { id, name, description, startsAt, endsAt } = window
    const covered = monitors.filter(({ num }) => window.covers(num)).map((monitor) => monitor.name)
    return { id, name, description, startsAt, endsAt, coversAll: covered.length === monitors.length, monitors: covered }
  }
  return {
    running: windows.filter(isRunning).map(viewOf),
    next: windows
      .filter((window) => !isRunning(window))
      .slice(0, MAX_ANNOUNCED)
      .map(viewOf),
  }
}
