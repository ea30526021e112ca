import type { Static } from 'typebox'
import Type from 'typebox'
import { actorOf } from '../../contract/actor.ts'
import { appOperation, type MemberContext } from '../../contract/app-operation.ts'
import { invalid } from '../../contract/errors.ts'
import { body, nullable, resource } from '../../contract/schema.ts'
import { recordAuditEntry } from '../../events/audit.ts'
import { setAttachedToSeveral } from '../../notifications/contacts/attach.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import { settingsFields } from '../monitor-settings/schema.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { pause } from './pause.ts'
import { monitorsNamed, monitorToChange } from './queries.ts'
import { type OnMonitorDeleted, remove } from './remove.ts'
import { resume } from './resume.ts'
import { update } from './update.ts'

/** Bounds the time that one transaction takes. */
const MAX_MONITORS = 500
const MAX_CONTACTS = 50

const MonitorIds = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: MAX_MONITORS,
  uniqueItems: true,
})
const ContactIds = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_CONTACTS, uniqueItems: true }),
)

const BulkResult = resource('BulkResult', {
  changed: Type.Array(Type.String(), { description: 'The ids of the monitors that changed' }),
  unchanged: Type.Integer({ description: 'How many were already as requested' }),
  failures: Type.Array(
    resource('BulkFailure', {
      monitorId: Type.String(),
      name: nullable(Type.String(), { description: 'Null if there is no such monitor' }),
      message: Type.String(),
    }),
    { description: 'Monitors that could not be changed; the others were' },
  ),
})

type Result = Static<typeof BulkResult>
type Failure = Result['failures'][number]
/** The outcome for one monitor: whether it changed, or why it cannot. */
type Outcome = boolean | Failure

/** Changes the monitors that exist, in one transaction, and reports the others. */
function* changeEach(
  { caller: { orgId } }: MemberContext,
  ids: readonly string[],
  change: (id: string) => DbWork<Outcome>,
): DbWork<Result> {
  const existing = yield* monitorsNamed(orgId, ids)
  const result: Result = { changed: [], unchanged: 0, failures: [] }
  // Always in the same order, so that two transactions cannot deadlock.
  for (const id of ids.toSorted()) {
    const outcome = existing.has(id) ? yield* change(id) : missing(id)
    if (outcome === true) result.changed.push(id)
    else if (outcome === false) result.unchanged += 1
    else result.failures.push(outcome)
  }
  return result
}

function missing(monitorId: string): Failure {
  return { monitorId, name: null, message: 'The monitor no longer exists' }
}

/** The entry that the operation on a single monitor leaves. */
function* auditOne(
  { caller, requestId, now }: MemberContext,
  entry: { action: string; target: string; fields?: readonly string[] },
): DbWork<void> {
  const { type, id, name } = actorOf(caller)
  yield* recordAuditEntry({
    ...{ orgId: caller.orgId, targetName: null, fields: [], requestId, now, ...entry },
    actor: { actor_type: type, actor_id: id, actor_name: name },
  })
}

const shared = {
  access: 'write',
  tag: 'Monitors',
  // Every monitor has an audit entry of its own.
  skipsAudit: true,
  answer: { status: 200, schema: BulkResult, description: 'What changed, and what could not be changed' },
} as const

const note = `In one transaction, with the events and audit entries of the single operation. At most ${MAX_MONITORS} monitors.`

export const pauseMonitors = appOperation('pauseMonitors', {
  ...shared,
  method: 'POST',
  path: '/monitors/bulk/pause',
  summary: 'Pause several monitors',
  description: note,
  body: body('PauseMonitors', { monitorIds: MonitorIds }),
  *handle(context, { body: { monitorIds } }) {
    const { caller, installation, now } = context
    return yield* changeEach(context, monitorIds, function* (id) {
      yield* auditOne(context, { action: 'pauseMonitor', target: id })
      return yield* pause(caller.orgId, id, installation.baseUrl, now)
    })
  },
})

export const resumeMonitors = appOperation('resumeMonitors', {
  ...shared,
  method: 'POST',
  path: '/monitors/bulk/resume',
  summary: 'Resume several monitors',
  description: note,
  body: body('ResumeMonitors', { monitorIds: MonitorIds }),
  *handle(context, { body: { monitorIds } }) {
    const { caller, installation, now } = context
    return yield* changeEach(context, monitorIds, function* (id) {
      yield* auditOne(context, { action: 'resumeMonitor', target: id })
      return yield* resume(caller.orgId, id, installation.baseUrl, now)
    })
  },
})

/** The listeners are those of the operation that deletes one monitor. */
export const deleteMonitors = (listeners: readonly OnMonitorDeleted[]) =>
  appOperation('deleteMonitors', {
    ...shared,
    method: 'POST',
    path: '/monitors/bulk/delete',
    summary: 'Delete several monitors',
    description: note,
    body: body('DeleteMonitors', { monitorIds: MonitorIds }),
    *handle(context, { body: { monitorIds } }) {
      const { caller, installation, now } = context
      return yield* changeEach(context, monitorIds, function* (id) {
        yield* auditOne(context, { action: 'deleteMonitor', target: id })
        yield* remove(caller.orgId, id, listeners, installation.baseUrl, now)
        return true
      })
    },
  })

export const updateMonitors = appOperation('updateMonitors', {
  ...shared,
  method: 'PATCH',
  path: '/monitors/bulk',
  summary: 'Change the interval and the alert contacts of several monitors',
  description: `${note} The interval of CRON monitors is not changed: their heartbeat has a period of its own.`,
  body: body('UpdateMonitors', {
    monitorIds: MonitorIds,
    intervalSeconds: Type.Optional(settingsFields.intervalSeconds),
    attachContactIds: ContactIds,
    detachContactIds: ContactIds,
  }),
  refine: contactFaults,
  errors: ['not_found', 'conflict', 'plan_limit'],
  *handle(context, { body: { monitorIds, intervalSeconds, attachContactIds = [], detachContactIds = [] } }) {
    const { caller, installation, now } = context
    if (intervalSeconds === undefined && attachContactIds.length + detachContactIds.length === 0) {
      throw invalid([{ path: 'intervalSeconds', message: 'is required unless contacts are given' }])
    }
    const nums = [...(yield* monitorsNamed(caller.orgId, monitorIds)).values()]
    const attached = yield* attachContacts(context, nums, attachContactIds, true)
    const detached = yield* attachContacts(context, nums, detachContactIds, false)
    return yield* changeEach(context, monitorIds, function* (id) {
      const monitor = yield* monitorToChange(caller.orgId, id)
      const hasNewContacts = attached.has(monitor.num) || detached.has(monitor.num)
      if (intervalSeconds === undefined) return hasNewContacts
      const { name, type } = parseSettings(monitor.rendered)
      if (type === 'CRON') {
        return { monitorId: id, name, message: 'Cron jobs have no check interval. Edit the expected period instead' }
      }
      yield* auditOne(context, { action: 'updateMonitor', target: id, fields: ['intervalSeconds'] })
      return (yield* update(caller, monitor, { intervalSeconds }, installation, now)) || hasNewContacts
    })
  },
})

function contactFaults({ attachContactIds, detachContactIds }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(attachContactIds) || !Array.isArray(detachContactIds)) return []
  const both = attachContactIds.some((id) => detachContactIds.includes(id))
  return both ? [{ path: 'detachContactIds', message: 'must not name a contact of attachContactIds' }] : []
}

/** Returns the monitors that changed. The audit entry names the contact, as that of the single operation does. */
function* attachContacts(
  context: MemberContext,
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
