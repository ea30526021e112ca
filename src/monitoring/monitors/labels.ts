import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { body } from '../../contract/schema.ts'
import type { Labels } from '../../lib/selector.ts'
import { labelsOf, labelsOfMonitor } from '../../storage/labels/read.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { changeLabels, type LabelListener, lockLabels } from '../labels/save.ts'
import { LabelsInput, labelFaults, MonitorLabels } from '../labels/schema.ts'
import { numOf } from './queries.ts'
import { MonitorParams } from './schema.ts'

/** Replaces the labels of monitors, by id. Labels are locked. Returns the numbers of the monitors that exist. */
export function* replaceLabels(
  orgId: string,
  wanted: ReadonlyMap<string, Labels>,
  listeners: readonly LabelListener[],
  now: number,
): DbWork<readonly number[]> {
  const rows = yield* execute(
    q
      .selectFrom('monitors')
      .select(['id', 'num'])
      .where('org_id', '=', orgId)
      .where('id', 'in', [...wanted.keys()])
      .orderBy('id')
      .forNoKeyUpdate(),
  )
  const nums = rows.map(({ num }) => num)
  const before = yield* labelsOf(orgId, nums)
  const changes = rows.map(({ id, num }) => ({ num, before: before(num), after: wanted.get(id) as Labels }))
  yield* changeLabels(orgId, changes, listeners, now)
  return nums
}

export const getMonitorLabels = operation({
  id: 'getMonitorLabels',
  method: 'GET',
  path: '/monitors/:monitorId/labels',
  access: 'read',
  extension: true,
  tag: 'Labels',
  summary: "Get a monitor's labels",
  description: 'In order of key.',
  params: MonitorParams,
  answer: { status: 200, schema: MonitorLabels, description: 'The labels, in order of key' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params }) {
    return { labels: yield* labelsOfMonitor(orgId, yield* numOf(orgId, params.monitorId)) }
  },
})

/** The listeners make maintenance windows and status pages with selectors follow the labels. */
export const setMonitorLabels = (listeners: readonly LabelListener[]) =>
  operation({
    id: 'setMonitorLabels',
    method: 'PUT',
    path: '/monitors/:monitorId/labels',
    access: 'write',
    extension: true,
    tag: 'Labels',
    summary: "Replace a monitor's labels",
    description:
      'Labels that are not in the body are removed. Contacts, maintenance windows and status pages with a selector follow ' +
      'immediately.',
    params: MonitorParams,
    body: body('SetMonitorLabels', { labels: LabelsInput }),
    refine: labelFaults,
    answer: { status: 200, schema: MonitorLabels, description: 'The labels, in order of key' },
    errors: ['not_found'],
    *handle({ caller: { orgId }, now }, { params, body: { labels: after } }) {
      yield* lockLabels(orgId)
      const [num] = yield* replaceLabels(orgId, new Map([[params.monitorId, after]]), listeners, now)
      if (num === undefined) throw notFound('monitor')
      return { labels: yield* labelsOfMonitor(orgId, num) }
    },
  })
