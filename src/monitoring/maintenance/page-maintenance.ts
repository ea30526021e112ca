import { all, type DbWork, execute, q, statement } from '../../storage/query.ts'
import { phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { MaintenanceStatus, Occurrence } from '../maintenance-coverage/types.ts'
import { windowsOf } from './rows.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'
import { isShownOn } from './shown-on-page.ts'

/** A window as shown on a status page. */
export interface PageMaintenance extends Occurrence {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly status: MaintenanceStatus
  covers(num: number): boolean
}

interface PageKey {
  readonly orgId: string
  readonly pageId: string
}

const MAX_SHOWN = 100

const currentAndNext = statement(({ orgId, pageId, before }: PageKey & { readonly before: number }) =>
  windowsOf(orgId)
    .where('w.next_transition_at', 'is not', null)
    .where((is) => is.or([is('w.next_transition_at', '<', before), is('w.status', '=', 'IN_PROGRESS')]))
    .where(isShownOn(orgId, pageId))
    .orderBy('w.next_transition_at')
    .limit(MAX_SHOWN),
)

/** The windows on a page that are in progress or start before `before`, in order of their start. */
export function* maintenanceOnPage(page: PageKey, now: number, before: number): DbWork<readonly PageMaintenance[]> {
  const rows = yield* all(currentAndNext, { ...page, before })
  const shown = rows.flatMap((row): ShownWindow[] => {
    const { status, current, next } = phaseAt(timingOf(row), now)
    const occurrence = current ?? next
    return occurrence === null || occurrence.startsAt >= before ? [] : [{ row, status, occurrence }]
  })
  const windows = yield* withCovers(page.orgId, shown)
  return windows.toSorted((a, b) => a.startsAt - b.startsAt)
}

interface ShownWindow {
  readonly row: MaintenanceRow
  readonly status: MaintenanceStatus
  readonly occurrence: Occurrence
}

function* withCovers(orgId: string, shown: readonly ShownWindow[]): DbWork<readonly PageMaintenance[]> {
  const ids = [...new Set(shown.map(({ row }) => row.id))]
  const links = ids.length === 0 ? [] : yield* execute(linksOf(orgId, ids))
  const nums = Map.groupBy(links, ({ window_id: id }) => id)
  return shown.map(({ row, status, occurrence }) => {
    const covered = new Set(nums.get(row.id)?.map(({ num }) => num))
    const { id, name, description } = row
    return { id, name, description, status, ...occurrence, covers: (num) => row.all_monitors === 1 || covered.has(num) }
  })
}

function linksOf(orgId: string, ids: readonly string[]) {
  return q
    .selectFrom('maintenance_monitors')
    .select(['window_id', 'num'])
    .where('org_id', '=', orgId)
    .where('window_id', 'in', [...ids])
}
