import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Deleted, oneOf, page, pageQuery, resource } from '../../contract/schema.ts'
import { all, type DbWork, first, q, runEach, statement } from '../../storage/query.ts'
import { type ChannelName, channelNames } from './channels/index.ts'
import { coversByDefault, coversMonitor } from './covers.ts'
import { contactOf } from './queries.ts'

interface MonitorContact {
  orgId: string
  contactId: string
  num: number
}

const insertException = statement(({ orgId, contactId, num }: MonitorContact) =>
  q
    .insertInto('contact_exceptions')
    .values({ org_id: orgId, contact_id: contactId, monitor_num: num })
    .onConflict((conflict) => conflict.columns(['org_id', 'contact_id', 'monitor_num']).doNothing()),
)

const deleteException = statement(({ orgId, contactId, num }: MonitorContact) =>
  q
    .deleteFrom('contact_exceptions')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('monitor_num', '=', num),
)

/** Attaches a contact to a monitor, or detaches it. Only what differs from the contact's default is a row. */
export function* setAttached(orgId: string, contactId: string, num: number, attached: boolean): DbWork<void> {
  yield* setAttachedToSeveral(orgId, contactId, [num], attached)
}

/** The same for several monitors. Returns those that changed. */
export function* setAttachedToSeveral(
  orgId: string,
  contactId: string,
  nums: readonly number[],
  attached: boolean,
): DbWork<readonly number[]> {
  const { covers } = yield* contactOf(orgId, contactId)
  const pairs = nums.map((num) => ({ orgId, contactId, num }))
  const isDefault = attached === coversByDefault(covers)
  const changes = isDefault ? yield* runEach(deleteException, pairs) : yield* runEach(insertException, pairs)
  return nums.filter((_, i) => (changes[i] ?? 0) > 0)
}

const contactsOfMonitor = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .selectFrom('contacts as c')
    .select(['c.id', 'c.name', 'c.channel', 'c.enabled', 'c.confirmed'])
    .select(sql<number>`case when ${coversMonitor(sql`${num}`)} then 1 else 0 end`.as('attached'))
    .where('c.org_id', '=', orgId)
    .orderBy('c.id'),
)

/** Every contact of the organization, and whether it is attached to this monitor. */
export function* attachmentsOf(orgId: string, num: number): DbWork<readonly Static<typeof MonitorContact>[]> {
  return (yield* all(contactsOfMonitor, { orgId, num })).map((row) => ({
    contactId: row.id,
    name: row.name,
    channel: row.channel as ChannelName,
    enabled: row.enabled === 1,
    confirmed: row.confirmed === 1,
    attached: row.attached === 1,
  }))
}

const monitorNum = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', id),
)

export function* monitorNumOf(orgId: string, id: string): DbWork<number | undefined> {
  return (yield* first(monitorNum, { orgId, id }))?.num
}

const MonitorContact = resource('MonitorContact', {
  contactId: Type.String({ minLength: 1 }),
  name: Type.String(),
  channel: oneOf(channelNames),
  enabled: Type.Boolean(),
  confirmed: Type.Boolean({ description: 'False: its e-mail address is waiting for confirmation' }),
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
  *handle({ caller: { orgId } }, { params, query: { limit, offset, attached } }) {
    // The number of contacts is limited (create.ts), so all are read.
    const contacts = yield* attachmentsOf(orgId, yield* requireMonitorNum(orgId, params.monitorId))
    const matching = contacts.filter((contact) => attached === undefined || contact.attached === attached)
    return { data: matching.slice(offset, offset + limit), pagination: { limit, offset, total: matching.length } }
  },
})

const ofPair = {
  ...common,
  access: 'write',
  path: '/monitors/:monitorId/contacts/:contactId',
  params: Type.Object({ ...MonitorParams.properties, contactId: Type.String({ minLength: 1 }) }),
} as const

export const attachContact = operation({
  ...ofPair,
  id: 'attachContact',
  method: 'PUT',
  summary: 'Attach a contact to a monitor',
  description: 'The contact gets alerts of the monitor from now on. Attaching it again changes nothing.',
  answer: { status: 200, schema: MonitorContact, description: 'The contact' },
  *handle({ caller: { orgId } }, { params: { monitorId, contactId } }) {
    const num = yield* requireMonitorNum(orgId, monitorId)
    yield* setAttached(orgId, contactId, num, true)
    const contact = (yield* attachmentsOf(orgId, num)).find((one) => one.contactId === contactId)
    if (contact === undefined) throw notFound('contact')
    return contact
  },
})

export const detachContact = operation({
  ...ofPair,
  id: 'detachContact',
  method: 'DELETE',
  summary: 'Detach a contact from a monitor',
  description: 'The contact gets no alerts of the monitor any more. Detaching it again changes nothing.',
  answer: { status: 200, schema: Deleted, description: 'The id of the detached contact' },
  *handle({ caller: { orgId } }, { params: { monitorId, contactId: id } }) {
    yield* setAttached(orgId, id, yield* requireMonitorNum(orgId, monitorId), false)
    return { data: { id } }
  },
})

function* requireMonitorNum(orgId: string, monitorId: string): DbWork<number> {
  const num = yield* monitorNumOf(orgId, monitorId)
  if (num === undefined) throw notFound('monitor')
  return num
}
