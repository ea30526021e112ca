import { parseStored } from '../../lib/json.ts'
import { all, type DbWork, execute, q, statement } from '../../storage/query.ts'
import { phaseAt } from '../maintenance-coverage/occurrences.ts'
import { windowsOf } from './rows.ts'
import { timingOf } from './settings.ts'

/** Whether a window shown on the page covers the monitor now. */
export type IsInMaintenance = (pageId: string, num: number) => boolean

const maybeInProgress = statement(({ orgId, now }: { orgId: string; now: number }) =>
  windowsOf(orgId)
    .where('w.next_transition_at', 'is not', null)
    .where((is) => is.or([is('w.next_transition_at', '<=', now), is('w.status', '=', 'IN_PROGRESS')])),
)

/** For all pages of an organization at once, because few windows are in progress at a time. */
export function* monitorsInMaintenance(orgId: string, now: number): DbWork<IsInMaintenance> {
  const rows = yield* all(maybeInProgress, { orgId, now })
  const running = rows.filter((row) => phaseAt(timingOf(row), now).current !== null)
  if (running.length === 0) return () => false
  const links = yield* execute(
    q
      .selectFrom('maintenance_monitors')
      .select(['window_id', 'num'])
      .where('org_id', '=', orgId)
      .where(
        'window_id',
        'in',
        running.map(({ id }) => id),
      ),
  )
  const covered = Map.groupBy(links, ({ window_id: id }) => id)
  const windows = running.map((row) => ({
    isForAll: row.all_monitors === 1,
    nums: new Set(covered.get(row.id)?.map(({ num }) => num)),
    pageIds: new Set<string>(parseStored(row.status_page_ids)),
  }))
  return (pageId, num) =>
    windows.some(
      ({ isForAll, nums, pageIds }) => (isForAll || nums.has(num)) && (pageIds.size === 0 || pageIds.has(pageId)),
    )
}
