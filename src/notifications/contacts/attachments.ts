import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import { ApiError, notFound } from '../../contract/errors.ts'
import { oneOf, resource } from '../../contract/schema.ts'
import { matchesSelector, parseSelector } from '../../lib/selector.ts'
import { reason } from '../../reasons/reason.ts'
import { allOf, batch, insertRows, usingRows } from '../../storage/batch.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type ContactTable, coverages } from '../../storage/schema/contacts.ts'
import { type ChannelName, channelNames } from './channels/index.ts'
import { contactsByLabels, coversMonitor } from './coverage.ts'
import { type Configured, problemOf } from './delivers.ts'
import { contactOf } from './queries.ts'
import { Problem } from './schema.ts'

interface ContactException {
  orgId: string
  contactId: string
  num: number
}

const types = { orgId: 'text', contactId: 'text', num: 'bigint' } as const

const insertException = batch<ContactException, { monitor_num: number }>(types, ({ orgId, contactId, num }, rows) =>
  insertRows('contact_exceptions', { org_id: orgId, contact_id: contactId, monitor_num: num }, rows)
    .onConflict((conflict) => conflict.columns(['org_id', 'contact_id', 'monitor_num']).doNothing())
    .returning('monitor_num'),
)

const deleteException = batch<ContactException, { monitor_num: number }>(types, ({ orgId, contactId, num }, rows) =>
  usingRows(q.deleteFrom('contact_exceptions as e'), rows)
    .where('e.org_id', '=', orgId)
    .where('e.contact_id', '=', contactId)
    .where('e.monitor_num', '=', num)
    .returning('monitor_num'),
)

/** Attaches a contact to monitors, or detaches it. Returns those that changed. Only exceptions are rows: see `contacts.covers`. */
export function* setAttached(
  orgId: string,
  contactId: string,
  nums: readonly number[],
  attached: boolean,
): DbWork<readonly number[]> {
  const contact = yield* contactOf(orgId, contactId)
  if (contact.covers === 'LABELS') return yield* requireMatch(contact, nums, attached)
  const pairs = nums.map((num) => ({ orgId, contactId, num }))
  const isDefault = attached === (contact.covers === 'ALL')
  const changed = yield* allOf(isDefault ? deleteException : insertException, pairs)
  return changed.map(({ monitor_num: num }) => num)
}

/** A contact that covers by labels has no exceptions: the labels of the monitors decide. */
function* requireMatch(contact: ContactTable, nums: readonly number[], attached: boolean): DbWork<readonly number[]> {
  const selector = parseSelector(contact.selector ?? '')
  const labels = yield* labelsOf(contact.org_id, nums)
  if (nums.every((num) => matchesSelector(selector, labels(num)) === attached)) return []
  throw new ApiError(
    'conflict',
    reason('contact_by_labels', { contact: contact.name, selector: String(contact.selector) }),
  )
}

/** Every contact of the organization, and whether it is attached to this monitor. */
export function* attachmentsOf(
  orgId: string,
  num: number,
  configured: Configured,
): DbWork<readonly Static<typeof MonitorContact>[]> {
  const byLabels = yield* contactsByLabels(orgId, num)
  const contacts = q
    .selectFrom('contacts as c')
    .select(['c.id', 'c.name', 'c.channel', 'c.enabled', 'c.confirmed', 'c.failing_since', 'c.covers'])
    .select(sql<number>`case when ${coversMonitor(sql`${num}`, byLabels)} then 1 else 0 end`.as('attached'))
    .where('c.org_id', '=', orgId)
    .orderBy('c.id')
  return (yield* execute(contacts)).map((row) => ({
    contactId: row.id,
    name: row.name,
    channel: row.channel as ChannelName,
    enabled: row.enabled === 1,
    confirmed: row.confirmed === 1,
    problem: problemOf(row, configured),
    covers: row.covers,
    attached: row.attached === 1,
  }))
}

export const MonitorContact = resource('MonitorContact', {
  contactId: Type.String({ minLength: 1 }),
  name: Type.String(),
  channel: oneOf(channelNames),
  enabled: Type.Boolean(),
  confirmed: Type.Boolean({ description: 'False: its e-mail address is waiting for confirmation' }),
  problem: Problem,
  covers: oneOf(coverages, { description: 'LABELS: attached if the labels of the monitor match its selector' }),
  attached: Type.Boolean({ description: 'Gets alerts of this monitor, if it is enabled and confirmed' }),
})

export const MonitorParams = Type.Object({ monitorId: Type.String({ minLength: 1 }) })

/** What the operations on one contact of a monitor have in common. */
export const onAttachment = {
  tag: 'Contacts',
  extension: true,
  access: 'write',
  path: '/monitors/:monitorId/contacts/:contactId',
  params: Type.Object({ ...MonitorParams.properties, contactId: Type.String({ minLength: 1 }) }),
  errors: ['not_found', 'conflict'],
} as const

export const byLabelsNote = 'A contact that covers LABELS follows the labels of the monitor: otherwise this is a 409.'

export function* requireMonitorNum(orgId: string, monitorId: string): DbWork<number> {
  const found = q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', monitorId)
  const [monitor] = yield* execute(found)
  if (monitor === undefined) throw notFound('monitor')
  return monitor.num
}
