import { type Fault, invalid } from '../../contract/errors.ts'
import { monitorsNamed } from '../../monitoring/monitors/queries.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { pagesNamed } from '../status-pages/remove-monitor.ts'
import type { Affected } from './schema.ts'

interface Referring {
  readonly statusPageIds?: readonly string[] | undefined
  readonly affectedMonitors?: readonly Affected[] | undefined
  readonly incidentId?: string | null | undefined
}

/** What a published incident refers to: the numbers of its monitors, and a fault for everything that there is none of. */
export interface References {
  readonly nums: ReadonlyMap<string, number>
  readonly faults: readonly Fault[]
}

/** Its monitor is held with it, for an incident goes with its monitor. */
const detected = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q
    .selectFrom('incidents as i')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'i.num').onRef('m.org_id', '=', 'i.org_id'))
    .select('i.id')
    .where('i.org_id', '=', orgId)
    .where('i.id', '=', id)
    .forKeyShare('m'),
)

/** Everything that is named, looked up and held until the end of the transaction; monitors before pages, as elsewhere. */
export function* referencesOf(
  orgId: string,
  { statusPageIds, affectedMonitors, incidentId }: Referring,
): DbWork<References> {
  const faults: Fault[] = []
  const incident = incidentId == null ? undefined : yield* first(detected, { orgId, id: incidentId })
  const nums = yield* monitorsNamed(orgId, affectedMonitors?.map(({ monitorId }) => monitorId) ?? [])
  const pages = yield* pagesNamed(orgId, statusPageIds ?? [])
  for (const [i, id] of (statusPageIds ?? []).entries()) {
    if (!pages.has(id)) faults.push({ path: `statusPageIds.${i}`, message: 'is no status page of this organization' })
  }
  for (const [i, { monitorId }] of (affectedMonitors ?? []).entries()) {
    if (!nums.has(monitorId)) {
      faults.push({ path: `affectedMonitors.${i}.monitorId`, message: 'is no monitor of this organization' })
    }
  }
  if (incidentId != null && incident === undefined) {
    faults.push({ path: 'incidentId', message: 'is no incident of this organization' })
  }
  return { nums, faults }
}

export function refuseUnknown({ faults }: References): void {
  if (faults.length > 0) throw invalid(faults)
}
