import { operation } from '../../contract/operation.ts'
import type { Work } from '../../storage/query.ts'
import { closeCoverage, openCoverage } from '../maintenance-coverage/coverage.ts'
import { monitorsNamed } from '../monitors/queries.ts'
import { toldAt } from './advance.ts'
import { recheckLater } from './recheck.ts'
import { type Named, named } from './references.ts'
import { renderWindow } from './render.ts'
import { saveLinks, saveWindow, type WindowToChange, windowOf, windowToChange } from './rows.ts'
import { fieldFaults, patchFaults } from './rules.ts'
import { MaintenanceParams, MaintenanceWindow, UpdateMaintenanceWindow } from './schema.ts'
import { changedFields, patched, settingsOf, type WindowSettings } from './settings.ts'
import { bringUpToDate, coveredBy, tellOf } from './tell.ts'

export const updateMaintenanceWindow = operation({
  id: 'updateMaintenanceWindow',
  method: 'PATCH',
  path: '/maintenance-windows/:maintenanceId',
  access: 'write',
  tag: 'Maintenance windows',
  summary: 'Update a maintenance window',
  description:
    'Fields left out keep their values. The result is validated as a whole; if it is inconsistent nothing changes. What was ' +
    'covered until now stays left out of uptime. An `endsAt` that has passed ends a window that is under way.',
  params: MaintenanceParams,
  body: UpdateMaintenanceWindow,
  refine: fieldFaults,
  answer: { status: 200, schema: MaintenanceWindow, description: 'The maintenance window as it is now' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params, body }) {
    yield* holdMonitors(orgId, params.maintenanceId, body.monitorIds)
    const row = yield* windowToChange(orgId, params.maintenanceId)
    const before = settingsOf(row)
    const after = patched(before, body)
    const changed = changedFields(before, after)
    if (changed.size > 0) {
      const names = yield* named(orgId, after, before.statusPageIds, patchFaults(after, changed))
      yield* apply(orgId, yield* bringUpToDate(orgId, row, now), { after, changed, names }, now)
    }
    return renderWindow(yield* windowOf(orgId, row.id), now)
  },
})

/**
 * Monitors are held before windows, as by whoever deletes one: held the other way round, the two would wait for each other
 * on PostgreSQL.
 */
function* holdMonitors(orgId: string, id: string, wanted: readonly string[] | undefined): Work<void> {
  yield* monitorsNamed(orgId, wanted ?? settingsOf(yield* windowOf(orgId, id)).monitorIds)
}

interface Change {
  readonly after: WindowSettings
  readonly changed: ReadonlySet<string>
  readonly names: Named
}

const times = [
  ...['startsAt', 'endsAt', 'timezone', 'recurrence', 'recurrenceInterval', 'daysOfWeek', 'daysOfMonth'],
  'recurrenceEndsAt',
]

function* apply(orgId: string, row: WindowToChange, { after, changed, names }: Change, now: number): Work<void> {
  const { id, status: was } = row
  const isRescheduled = times.some((field) => changed.has(field))
  const coversOthers = changed.has('monitorIds') || changed.has('allMonitors')
  const told = isRescheduled ? toldAt(after, now) : { status: was, nextTransitionAt: row.next_transition_at }
  let coverageId = row.coverage_id
  if (isRescheduled || coversOthers) {
    const coveredUntilNow = yield* coveredBy(orgId, row)
    yield* closeCoverage(orgId, coverageId, now)
    coverageId = yield* openCoverage(orgId, after, { nums: names.covered }, now)
    const left = told.status === 'IN_PROGRESS' ? without(coveredUntilNow, names.covered) : coveredUntilNow
    if (was === 'IN_PROGRESS') yield* recheckLater(orgId, left, now)
  }
  yield* saveWindow({ orgId, id }, after, { ...told, coverageId, now })
  yield* saveLinks({ orgId, id }, names.nums, after.statusPageIds)
  if (!isRescheduled) return
  const saved = yield* windowOf(orgId, id)
  const moment = { at: now, now }
  if (was === 'IN_PROGRESS' && told.status !== was) yield* tellOf(orgId, 'maintenance.completed', saved, moment)
  if (told.status !== 'COMPLETED') yield* tellOf(orgId, 'maintenance.scheduled', saved, moment)
  if (told.status === 'IN_PROGRESS' && was !== told.status) {
    yield* tellOf(orgId, 'maintenance.started', saved, moment)
  }
}

/** The monitors that are covered no longer; of all but some, all. */
function without(before: string | null, after: string | null): string | null {
  if (after === null) return '[]'
  if (before === null) return null
  const still = new Set<number>(JSON.parse(after))
  return JSON.stringify((JSON.parse(before) as number[]).filter((num) => !still.has(num)))
}
