import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import { ApiError, notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Deleted, oneOf, page, pageQuery, resource } from '../../contract/schema.ts'
import { matchesSelector, parseSelector } from '../../lib/selector.ts'
import { allOf, batch, insertRows, usingRows } from '../../storage/batch.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type ContactTable, coverages } from '../../storage/schema/contacts.ts'
import { type ChannelName, channelNames } from './channels/index.ts'
import { contactsByLabels, coversMonitor } from './coverage.ts'
import { type Configured, problemOf } from './delivers.ts'
import { contactOf } from './queries.ts'
import { Problem } from './schema.ts'

interface MonitorContact {
  orgId: string
  contactId: string
  num: number
}

const types = { orgId: 'text', contactId: 'text', num: 'bigint' } as const

const insertException = batch<MonitorContact, { monitor_num: number }>(types, ({ orgId, contactId, num }, rows) =>
  insertRows('contact_exceptions', { org_id: orgId, contact_id: contactId, monitor_num: num }, rows)
    .onConflict((conflict) => conflict.columns(['org_id', 'contact_id', 'monitor_num']).doNothing())
    .returning('monitor_num'),
)

const deleteException = batch<MonitorContact, { monitor_num: number }>(types, ({ orgId, contactId, num }, rows) =>
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
    `${contact.name} gets alerts of the monitors with the labels ${contact.selector}; change the labels of the monitor, or what the contact covers`,
  )
}

/** Every contact of the organization, and whether it is attached to this monitor. */
function* attachmentsOf(
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

const MonitorContact = resource('MonitorContact', {
  contactId: Type.String({ minLength: 1 }),
  name: Type.String(),
  channel: oneOf(channelNames),
  enabled: Type.Boolean(),
  confirmed: Type.Boolean({ description: 'False: its e-mail address is waiting for confirmation' }),
  problem: Problem,
  covers: oneOf(coverages, { description: 'LABELS: attached if the labels of the monitor match its selector' }),
  attached: Type.Boolean({ description: 'Gets alerts of this monitor, if it is enabled and confirmed' }),
})

const MonitorParams = Type.Object({ monitorId: Type.String({ minLength: 1 }) })

const common = { tag: 'Contacts', extension: true, errors: ['not_found'] } as const

export const listMonitorContacts = operation({
  ...common,
  id: 'listMonitorContacts',
  method: 'GET',
  path: '/monitors/:monitorId/contacts',
  access: 'read',
  summary: 'List the contacts of a monitor',
  description: 'Every contact of the organization in order of creation, and whether it gets alerts of the monitor.',
  params: MonitorParams,
  query: Type.Object({
    ...pageQuery,
    attached: Type.Optional(
      Type.Boolean({ description: 'Only contacts that are attached, or only those that are not' }),
    ),
  }),
  answer: { status: 200, schema: page('MonitorContactPage', MonitorContact), description: 'A page of contacts' },
  *handle({ caller: { orgId }, installation }, { params, query: { limit, offset, attached } }) {
    // The number of contacts is limited (create.ts), so all are read.
    const contacts = yield* attachmentsOf(
      orgId,
      yield* requireMonitorNum(orgId, params.monitorId),
      installation.transports,
    )
    const matching = contacts.filter((contact) => attached === undefined || contact.attached === attached)
    return { data: matching.slice(offset, offset + limit), pagination: { limit, offset, total: matching.length } }
  },
})

const ofPair = {
  ...common,
  access: 'write',
  path: '/monitors/:monitorId/contacts/:contactId',
  params: Type.Object({ ...MonitorParams.properties, contactId: Type.String({ minLength: 1 }) }),
  errors: ['not_found', 'conflict'],
} as const

const byLabelsNote = 'A contact that covers LABELS follows the labels of the monitor: otherwise this is a 409.'

export const attachContact = operation({
  ...ofPair,
  id: 'attachContact',
  method: 'PUT',
  summary: 'Attach a contact to a monitor',
  description: `The contact gets alerts of the monitor from now on. Attaching it again changes nothing. ${byLabelsNote}`,
  answer: { status: 200, schema: MonitorContact, description: 'The contact' },
  *handle({ caller: { orgId }, installation }, { params: { monitorId, contactId } }) {
    const num = yield* requireMonitorNum(orgId, monitorId)
    yield* setAttached(orgId, contactId, [num], true)
    const contact = (yield* attachmentsOf(orgId, num, installation.transports)).find(
      (one) => one.contactId === contactId,
    )
    if (contact === undefined) throw notFound('contact')
    return contact
  },
})

export const detachContact = operation({
  ...ofPair,
  id: 'detachContact',
  method: 'DELETE',
  summary: 'Detach a contact from a monitor',
  description: `The contact gets no alerts of the monitor any more. Detaching it again changes nothing. ${byLabelsNote}`,
  answer: { status: 200, schema: Deleted, description: 'The id of the detached contact' },
  *handle({ caller: { orgId } }, { params: { monitorId, contactId: id } }) {
    yield* setAttached(orgId, id, [yield* requireMonitorNum(orgId, monitorId)], false)
    return { data: { id } }
  },
})

function* requireMonitorNum(orgId: string, monitorId: string): DbWork<number> {
  const found = q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', monitorId)
  const [monitor] = yield* execute(found)
  if (monitor === undefined) throw notFound('monitor')
  return monitor.num
}
