import { parseStored } from '../../lib/json.ts'
import { parseSelector } from '../../lib/selector.ts'
import { queueNotices } from '../../notifications/subscribers/notices.ts'
import type { MaintenanceChange } from '../../notifications/subscribers/types.ts'
import { isSelected } from '../../storage/labels/select.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { latestStarted, phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { Occurrence } from '../maintenance-coverage/types.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'

/**
 * The occurrence that subscribers are notified of, as of `at`; null if they are not notified of this change. A window
 * saved while in progress is announced only as started, and one whose start was missed only as completed. A daily window
 * is announced only when scheduled and when cancelled, to avoid two e-mails a day.
 */
function occurrenceToNotify(
  change: MaintenanceChange,
  row: MaintenanceRow,
  { at, now }: { readonly at: number; readonly now: number },
): Occurrence | null {
  const timing = timingOf(row)
  const { status, current, next } = phaseAt(timing, at)
  const isDaily = timing.recurrence === 'DAILY'
  switch (change) {
    case 'scheduled':
      return status === 'SCHEDULED' ? next : null
    case 'started':
      return isDaily || phaseAt(timing, now).status !== 'IN_PROGRESS' ? null : current
    case 'completed':
      return isDaily ? null : latestStarted(timing, at, timing.startsAt)
    case 'cancelled':
      return current ?? next
  }
}

/** Queues notices to the subscribers of the pages that show the window, in the transaction of the change. */
export function* notifySubscribers(
  change: MaintenanceChange,
  row: MaintenanceRow,
  times: { readonly at: number; readonly now: number },
): DbWork<void> {
  const occurrence = occurrenceToNotify(change, row, times)
  if (occurrence === null) return
  const { id: windowId, name, description } = row
  const topic = { kind: 'maintenance', change, windowId, name, description, ...occurrence } as const
  yield* queueNotices(row.org_id, yield* pagesShowing(row), topic, times.now)
}

/** The pages set for the window; if there are none, all that show one of its monitors. */
function* pagesShowing(row: MaintenanceRow): DbWork<readonly string[]> {
  const named: readonly string[] = parseStored(row.status_page_ids)
  if (named.length > 0) return named
  const shown = q
    .selectFrom('status_page_monitors as p')
    .innerJoin('monitors as m', 'm.num', 'p.num')
    .select('p.page_id')
    .distinct()
    .where('p.org_id', '=', row.org_id)
  if (row.all_monitors === 1) return (yield* execute(shown)).map(({ page_id: pageId }) => pageId)
  // By ids and selector: the link rows of a window that is being deleted are already gone.
  const ids: readonly string[] = parseStored(row.monitor_ids)
  const { selector } = row
  if (ids.length === 0 && selector === null) return []
  const covered = shown.where((is) =>
    is.or([
      ...(ids.length > 0 ? [is('m.id', 'in', ids)] : []),
      ...(selector === null ? [] : [isSelected(row.org_id, parseSelector(selector), 'p.num')]),
    ]),
  )
  return (yield* execute(covered)).map(({ page_id: pageId }) => pageId)
}
