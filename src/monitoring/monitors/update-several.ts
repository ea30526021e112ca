import Type from 'typebox'
import { ApiError, type Fault, invalid } from '../../contract/errors.ts'
import { type OperationContext, operation } from '../../contract/operation.ts'
import { body } from '../../contract/schema.ts'
import { duplicateFaults, uniqueItems } from '../../contract/unique-items.ts'
import { setAttachedToSeveral } from '../../notifications/contacts/attach.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import { settingsFields } from '../monitor-settings/schema.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { auditOne, BulkResult, bulkMonitors, bulkTargets, changeEach, MAX_BULK_MONITORS, targetFaults } from './bulk.ts'
import { monitorToChange } from './queries.ts'
import { update } from './update.ts'

const MAX_CONTACTS = 50

const ContactIds = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_CONTACTS, ...uniqueItems }),
)

export const updateMonitors = operation({
  id: 'updateMonitors',
  method: 'PATCH',
  path: '/monitors/bulk',
  access: 'write',
  extension: true,
  tag: 'Monitors',
  // Every monitor has an audit entry of its own.
  skipsAudit: true,
  summary: 'Change the interval and the alert contacts of several monitors',
  description:
    `By id or by selector, at most ${MAX_BULK_MONITORS} monitors, in one transaction, with the events and audit entries of the ` +
    'operations on one monitor. The interval of CRON monitors is not changed: their heartbeat has a period of its own.',
  body: body('UpdateMonitors', {
    ...bulkTargets,
    intervalSeconds: Type.Optional(settingsFields.intervalSeconds),
    attachContactIds: ContactIds,
    detachContactIds: ContactIds,
  }),
  refine: (given) => [...targetFaults(given), ...contactFaults(given)],
  answer: { status: 200, schema: BulkResult, description: 'What happened to each monitor' },
  errors: ['not_found', 'conflict', 'plan_limit'],
  *handle(context, { body: given }) {
    const { intervalSeconds, attachContactIds = [], detachContactIds = [] } = given
    const { caller, installation, now } = context
    if (intervalSeconds === undefined && attachContactIds.length + detachContactIds.length === 0) {
      throw invalid([{ path: 'intervalSeconds', message: 'is required unless contacts are given' }])
    }
    const monitors = yield* bulkMonitors(caller.orgId, given)
    const nums = [...monitors.existing.values()].map(({ num }) => num)
    const attached = yield* attachContacts(context, nums, attachContactIds, true)
    const detached = yield* attachContacts(context, nums, detachContactIds, false)
    return yield* changeEach(monitors, function* ({ id, num }) {
      const hasNewContacts = attached.has(num) || detached.has(num)
      if (intervalSeconds === undefined) return hasNewContacts
      const monitor = yield* monitorToChange(caller.orgId, id)
      if (parseSettings(monitor.rendered).type === 'CRON') {
        throw new ApiError('conflict', 'Cron jobs have no check interval. Edit the expected period instead')
      }
      yield* auditOne(context, { action: 'updateMonitor', target: id, fields: ['intervalSeconds'] })
      return (yield* update(caller, monitor, { intervalSeconds }, installation, now)) || hasNewContacts
    })
  },
})

function contactFaults({ attachContactIds, detachContactIds }: Readonly<Record<string, unknown>>): Fault[] {
  const repeated = [
    ...duplicateFaults('attachContactIds', attachContactIds, MAX_CONTACTS),
    ...duplicateFaults('detachContactIds', detachContactIds, MAX_CONTACTS),
  ]
  if (!Array.isArray(attachContactIds) || !Array.isArray(detachContactIds)) return repeated
  const attached = new Set(attachContactIds)
  if (!detachContactIds.some((id) => attached.has(id))) return repeated
  return [...repeated, { path: 'detachContactIds', message: 'must not name a contact of attachContactIds' }]
}

/** Returns the monitors that changed. The audit entry names the contact, as that of the single operation does. */
function* attachContacts(
  context: OperationContext,
  nums: readonly number[],
  contactIds: readonly string[],
  isAttached: boolean,
): DbWork<ReadonlySet<number>> {
  const { orgId } = context.caller
  const changed = new Set<number>()
  for (const contactId of contactIds.toSorted()) {
    for (const num of yield* setAttachedToSeveral(orgId, contactId, nums, isAttached)) changed.add(num)
    yield* auditOne(context, { action: isAttached ? 'attachContact' : 'detachContact', target: contactId })
    yield* notifyWatchers({ orgId, kind: 'contact', id: contactId })
  }
  return changed
}
