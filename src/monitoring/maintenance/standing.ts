import { all, ask, q, statement, type Work } from '../../storage/query.ts'
import { phaseAt } from '../maintenance-coverage/occurrences.ts'
import { windowsOf } from './rows.ts'
import { timingOf } from './settings.ts'

/** Whether a window that a page tells of covers a monitor, which the page shows, at this moment. */
export type Maintained = (pageId: string, num: number) => boolean

const perhapsRunning = statement(({ orgId, now }: { orgId: string; now: number }) =>
  windowsOf(orgId)
    .where('w.next_transition_at', 'is not', null)
    .where((is) => is.or([is('w.next_transition_at', '<=', now), is('w.status', '=', 'IN_PROGRESS')])),
)

/** For all pages of an organization at once: few windows are under way at a time, however many pages there are. */
export function* maintainedNow(orgId: string, now: number): Work<Maintained> {
  const rows = yield* all(perhapsRunning, { orgId, now })
  const running = rows.filter((row) => phaseAt(timingOf(row), now).current !== null)
  if (running.length === 0) return () => false
  const links = yield* ask(
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
    pageIds: new Set<string>(JSON.parse(row.status_page_ids)),
  }))
  return (pageId, num) =>
    windows.some(
      ({ isForAll, nums, pageIds }) => (isForAll || nums.has(num)) && (pageIds.size === 0 || pageIds.has(pageId)),
    )
}
