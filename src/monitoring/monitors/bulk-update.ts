import Type from 'typebox'
import { ApiError, type Fault, invalid } from '../../contract/errors.ts'
import { type OperationContext, operation } from '../../contract/operation.ts'
import { body, forbidding, having } from '../../contract/schema.ts'
import { duplicateFaults, uniqueItems } from '../../contract/unique-items.ts'
import { setAttached } from '../../notifications/contacts/attachments.ts'
import { contactOf } from '../../notifications/contacts/queries.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, notifyWatchers, q } from '../../storage/query.ts'
import { settingsFields } from '../monitor-settings/schema.ts'
import {
  auditEach,
  type BulkMonitors,
  BulkResult,
  bulkMonitors,
  bulkResult,
  bulkTargets,
  changeInPortions,
  forbiddenTargets,
  MAX_BULK_MONITORS,
  targetFaults,
} from './bulk.ts'
import type { MonitorToChange } from './queries.ts'
import { applyUpdates, planUpdate } from './update.ts'

const MAX_CONTACTS = 50

const contactIds = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_CONTACTS, description, ...uniqueItems }),
  )

export const updateMonitors = operation({
  id: 'updateMonitors',
  method: 'PATCH',
  path: '/monitors/bulk',
  access: 'write',
  extension: true,
  tag: 'Monitors',
  bulk: true,
  // Every monitor has an audit entry of its own.
  skipsAudit: true,
  summary: 'Change the interval and the alert contacts of several monitors',
  description:
    `By id or by selector, at most ${MAX_BULK_MONITORS} monitors, in one transaction, with the events and audit entries of the ` +
    'operations on one monitor. The interval of CRON monitors is not changed: their heartbeat has a period of its own.',
  body: forbidding(
    body('UpdateMonitors', {
      ...bulkTargets,
      intervalSeconds: Type.Optional(settingsFields.intervalSeconds),
      attachContactIds: contactIds('Contacts that are attached to the monitors'),
      detachContactIds: contactIds('Contacts that are detached from the monitors'),
    }),
    ...forbiddenTargets,
    { not: { anyOf: ['intervalSeconds', 'attachContactIds', 'detachContactIds'].map((name) => having(name)) } },
  ),
  refine: (given) => [...targetFaults(given), ...contactFaults(given)],
  answer: { status: 200, schema: BulkResult, description: 'What happened to each monitor' },
  errors: ['not_found', 'conflict'],
  *handle(context, { body: given }) {
    const { intervalSeconds, attachContactIds = [], detachContactIds = [] } = given
    const { caller } = context
    if (intervalSeconds === undefined && attachContactIds.length + detachContactIds.length === 0) {
      throw invalid([{ path: 'intervalSeconds', message: 'is required unless contacts are given' }])
    }
    yield* requireContacts(caller.orgId, { attachContactIds, detachContactIds })
    const lock = intervalSeconds === undefined ? 'refer' : 'change'
    const monitors = yield* bulkMonitors(caller.orgId, given, lock)
    const nums = monitors.existing.map(({ num }) => num)
    const attached = yield* attachContacts(context, nums, attachContactIds, true)
    const detached = yield* attachContacts(context, nums, detachContactIds, false)
    const { changed, errors } =
      intervalSeconds === undefined ? nothing : yield* setIntervals(context, monitors, intervalSeconds)
    return bulkResult(
      monitors,
      ({ id, num }) => errors.get(id) ?? (changed.has(id) || attached.has(num) || detached.has(num)),
    )
  },
})

interface IntervalChanges {
  /** The ids of the monitors that changed. */
  readonly changed: ReadonlySet<string>
  /** Why monitors could not be changed, by id. */
  readonly errors: ReadonlyMap<string, ApiError>
}

const nothing: IntervalChanges = { changed: new Set(), errors: new Map() }

function* setIntervals(
  context: OperationContext,
  monitors: BulkMonitors,
  intervalSeconds: number,
): DbWork<IntervalChanges> {
  const { caller, installation, now } = context
  const errors = new Map<string, ApiError>()
  const changed = yield* changeInPortions(caller.orgId, monitors, function* (some) {
    const updates = some.flatMap((monitor) => {
      try {
        return planInterval(context, monitor, intervalSeconds) ?? []
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        errors.set(monitor.id, error)
        return []
      }
    })
    yield* applyUpdates(caller.orgId, updates, installation.baseUrl, now)
    return new Set(updates.map(({ monitor }) => monitor.id))
  })
  const permitted = monitors.existing.filter(({ id }) => !errors.has(id))
  yield* auditEach(context, 'updateMonitor', permitted, ['intervalSeconds'])
  return { changed, errors }
}

function planInterval({ caller, installation }: OperationContext, monitor: MonitorToChange, intervalSeconds: number) {
  if (monitor.type === 'CRON') {
    throw new ApiError('conflict', reason('cron_interval'))
  }
  return planUpdate(caller, monitor, { intervalSeconds }, installation)
}

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

function* requireContacts(orgId: string, lists: Readonly<Record<string, readonly string[]>>): DbWork<void> {
  const wanted = Object.values(lists).flat()
  if (wanted.length === 0) return
  const contacts = q.selectFrom('contacts').select('id').where('org_id', '=', orgId).where('id', 'in', wanted)
  const known = new Set((yield* execute(contacts)).map(({ id }) => id))
  const faults = Object.entries(lists).flatMap(([name, ids]) =>
    ids.flatMap((id, i) =>
      known.has(id) ? [] : { path: `${name}.${i}`, message: 'is not a contact of this organization' },
    ),
  )
  if (faults.length > 0) throw invalid(faults)
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
    for (const num of yield* setAttached(orgId, contactId, nums, isAttached)) changed.add(num)
    const contact = yield* contactOf(orgId, contactId)
    yield* auditEach(context, isAttached ? 'attachContact' : 'detachContact', [contact])
    yield* notifyWatchers({ orgId, kind: 'contact', id: contactId })
  }
  return changed
}
