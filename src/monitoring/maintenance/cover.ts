import { all, type DbWork, q, runEach, statement } from '../../storage/query.ts'
import { closeCoverage, openCoverage } from '../maintenance-coverage/coverage.ts'
import { queueRecheck } from './recheck.ts'
import { type LockedWindow, saveCoverage } from './rows.ts'
import { timingOf } from './settings.ts'

interface Link {
  readonly orgId: string
  readonly id: string
  readonly num: number
}

const linkedNums = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('maintenance_monitors').select('num').where('org_id', '=', orgId).where('window_id', '=', id),
)

const link = statement(({ orgId, id, num }: Link) =>
  q.insertInto('maintenance_monitors').values({ org_id: orgId, window_id: id, num }),
)

const unlink = statement(({ orgId, id, num }: Link) =>
  q.deleteFrom('maintenance_monitors').where('org_id', '=', orgId).where('window_id', '=', id).where('num', '=', num),
)

/** The monitors that a window covers: those it lists, and those that match its selector. */
export function* coveredMonitors(orgId: string, id: string): DbWork<ReadonlySet<number>> {
  return new Set((yield* all(linkedNums, { orgId, id })).map(({ num }) => num))
}

/**
 * Lets a window that is locked cover these monitors from now on. What it covered until now stays covered. Monitors that
 * leave it while it is in progress are checked.
 */
export function* coverMonitors(
  orgId: string,
  row: LockedWindow,
  after: ReadonlySet<number>,
  now: number,
): DbWork<void> {
  const { id } = row
  const before = yield* coveredMonitors(orgId, id)
  const left = [...before.difference(after)]
  const entered = [...after.difference(before)]
  if (left.length + entered.length === 0) return
  const linkOf = (num: number) => ({ orgId, id, num })
  yield* runEach(unlink, left.map(linkOf))
  yield* runEach(link, entered.map(linkOf))
  // All monitors are covered anyway.
  if (row.all_monitors === 1) return
  yield* closeCoverage(orgId, row.coverage_id, now)
  const coverageId = yield* openCoverage(orgId, timingOf(row), { nums: JSON.stringify([...after]) }, now)
  yield* saveCoverage({ orgId, id }, coverageId)
  if (row.status === 'IN_PROGRESS') yield* queueRecheck(orgId, JSON.stringify(left), now)
}
