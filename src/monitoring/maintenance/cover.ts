import type { DbWork } from '../../storage/query.ts'
import { closeCoverage, openCoverage } from '../maintenance-coverage/coverage.ts'
import { linkMonitors } from './links.ts'
import { queueRecheck } from './recheck.ts'
import { updateWindow } from './rows.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'

/**
 * Lets a window that is locked cover these monitors from now on. What it covered until now stays covered. Monitors that
 * leave it while it is in progress are checked.
 */
export function* coverMonitors(
  orgId: string,
  row: MaintenanceRow,
  after: ReadonlySet<number>,
  now: number,
): DbWork<void> {
  const { id } = row
  const { left, entered } = yield* linkMonitors({ orgId, id }, after)
  if (left.length + entered.length === 0) return
  // All monitors are covered anyway.
  if (row.all_monitors === 1) return
  yield* closeCoverage(orgId, row.coverage_id, now)
  const coverageId = yield* openCoverage(orgId, timingOf(row), JSON.stringify([...after]), now)
  yield* updateWindow(orgId, id, { coverage_id: coverageId })
  if (row.status === 'IN_PROGRESS') yield* queueRecheck(orgId, JSON.stringify(left), now)
}
