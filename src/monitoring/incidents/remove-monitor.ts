import { endProblemsSilently } from '../../notifications/contacts/queries.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import type { OnMonitorsDeleted } from '../monitors/remove.ts'

/** Well below the parameter limit of both engines. */
const INCIDENTS_AT_ONCE = 500

/** Deletes the incidents of monitors, and closes what is open about them at alert services. */
export const removeIncidentsOfMonitors: OnMonitorsDeleted = function* (orgId, monitors, now) {
  const problems = monitors.map(({ id, open_incident: incidentId }) => ({ monitorId: id, incidentId }))
  yield* endProblemsSilently(orgId, problems, now)
  const nums = monitors.map(({ num }) => num)
  const incidents = q.selectFrom('incidents').select('id').where('org_id', '=', orgId).where('num', 'in', nums)
  for (;;) {
    const some = yield* execute(incidents.limit(INCIDENTS_AT_ONCE))
    if (some.length === 0) return
    const ids = some.map(({ id }) => id)
    yield* execute(q.deleteFrom('incidents').where('org_id', '=', orgId).where('id', 'in', ids))
    yield* removeFromList(orgId, 'incident', some.length)
    if (some.length < INCIDENTS_AT_ONCE) return
  }
}
