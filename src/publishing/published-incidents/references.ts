import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { lockStatusPages } from '../../monitoring/maintenance/lock-pages.ts'
import { monitorsNamed } from '../../monitoring/monitors/queries.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Affected } from './schema.ts'

interface ReferencingFields {
  readonly statusPageIds?: readonly string[] | undefined
  readonly affectedMonitors?: readonly Affected[] | undefined
  readonly incidentId?: string | null | undefined
}

/** The numbers of the referenced monitors by id, and a fault for every unknown reference. */
interface References {
  readonly nums: ReadonlyMap<string, number>
  readonly faults: readonly Fault[]
}

/** Locks the monitor, because deleting it deletes its incidents. */
function* isDetected(orgId: string, incidentId: string): DbWork<boolean> {
  const detected = q
    .selectFrom('incidents as i')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'i.num').onRef('m.org_id', '=', 'i.org_id'))
    .select('i.id')
    .where('i.org_id', '=', orgId)
    .where('i.id', '=', incidentId)
  return (yield* execute(detected.forKeyShare('m'))).length > 0
}

/** Locks everything referenced until the end of the transaction, monitors before pages to avoid deadlocks. */
export function* lockReferences(
  orgId: string,
  { statusPageIds, affectedMonitors, incidentId }: ReferencingFields,
): DbWork<References> {
  const faults: Fault[] = []
  const isIncidentKnown = incidentId == null || (yield* isDetected(orgId, incidentId))
  const nums = yield* monitorsNamed(orgId, affectedMonitors?.map(({ monitorId }) => monitorId) ?? [])
  const pages = yield* lockStatusPages(orgId, statusPageIds ?? [])
  for (const [i, id] of (statusPageIds ?? []).entries()) {
    if (!pages.has(id))
      faults.push({ path: `statusPageIds.${i}`, message: 'is not a status page of this organization' })
  }
  for (const [i, { monitorId }] of (affectedMonitors ?? []).entries()) {
    if (!nums.has(monitorId)) {
      faults.push({ path: `affectedMonitors.${i}.monitorId`, message: 'is not a monitor of this organization' })
    }
  }
  if (!isIncidentKnown) {
    faults.push(faultFor('incidentId', reason('foreign_incident')))
  }
  return { nums, faults }
}
