import { type DbWork, execute, q } from '../../storage/query.ts'
import { uptimeBetween } from './compute.ts'

/** The uptime of a few monitors from a time within the last days until now, 0 to 1. Without those that were not monitored. */
export function* uptimeSince(
  orgId: string,
  monitorIds: readonly string[],
  from: number,
  now: number,
): DbWork<ReadonlyMap<string, number>> {
  const found = q.selectFrom('monitors').select(['id', 'num']).where('org_id', '=', orgId).where('id', 'in', monitorIds)
  const uptimes = new Map<string, number>()
  for (const { id, num } of yield* execute(found)) {
    const { uptime } = yield* uptimeBetween(num, from, now, now)
    if (uptime !== null) uptimes.set(id, uptime)
  }
  return uptimes
}
