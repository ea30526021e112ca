import { tellSubscribersOf } from '../../notifications/subscribers/queries.ts'
import type { MaintenanceChange } from '../../notifications/subscribers/types.ts'
import { ask, q, type Work } from '../../storage/query.ts'
import { latestBegun, phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { Occurrence } from '../maintenance-coverage/types.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'

/**
 * The occurrence that the subscribers of a window's pages are told of, as it stood at a moment; null where they are not. A
 * window that is saved while it is under way is told as started alone, and one whose start was missed as completed alone.
 * What comes every day is told when it is planned and when it is cancelled: nobody wants two mails a day for it.
 */
export function newsFor(
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
      return isDaily ? null : latestBegun(timing, at, timing.startsAt)
    case 'cancelled':
      return current ?? next
  }
}

/** Queues what the subscribers of the pages that show a window are told, in the transaction of the change. */
export function* tellSubscribers(
  orgId: string,
  change: MaintenanceChange,
  row: MaintenanceRow,
  moment: { readonly at: number; readonly now: number },
): Work<void> {
  const occurrence = newsFor(change, row, moment)
  if (occurrence === null) return
  const { id: windowId, name, description } = row
  const about = { kind: 'maintenance', change, windowId, name, description, ...occurrence } as const
  yield* tellSubscribersOf(orgId, yield* pagesShowing(orgId, row), about, moment.now)
}

/** The pages that a window names; where it names none, those that show one of its monitors. */
function* pagesShowing(orgId: string, row: MaintenanceRow): Work<readonly string[]> {
  const named: readonly string[] = JSON.parse(row.status_page_ids)
  if (named.length > 0) return named
  const shown = q
    .selectFrom('status_page_monitors as p')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'p.num').onRef('m.org_id', '=', 'p.org_id'))
    .select('p.page_id')
    .distinct()
    .where('p.org_id', '=', orgId)
  // By the ids: of a window that is being deleted the links are gone already.
  const covered = row.all_monitors === 1 ? shown : shown.where('m.id', 'in', JSON.parse(row.monitor_ids) as string[])
  if (row.all_monitors !== 1 && row.monitor_ids === '[]') return []
  return (yield* ask(covered)).map(({ page_id: pageId }) => pageId)
}
