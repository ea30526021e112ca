import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { oneOf, resource } from '../../contract/schema.ts'
import { all, type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import { channelNames } from './channels/index.ts'
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

/**
 * Attaches a contact to a monitor, or detaches it. A contact covers either all monitors, including future ones, or none;
 * only exceptions from that are rows.
 */
export function* setAttached(orgId: string, contactId: string, num: number, attached: boolean): DbWork<void> {
  const { covers_all: coversAll } = yield* contactOf(orgId, contactId)
  if (attached === (coversAll === 1)) yield* run(deleteException, { orgId, contactId, num })
  else yield* run(insertException, { orgId, contactId, num })
}

/** The same for several monitors. Returns those that changed. */
export function* setAttachedToSeveral(
  orgId: string,
  contactId: string,
  nums: readonly number[],
  attached: boolean,
): DbWork<readonly number[]> {
  const { covers_all: coversAll } = yield* contactOf(orgId, contactId)
  const pairs = nums.map((num) => ({ orgId, contactId, num }))
  const isDefault = attached === (coversAll === 1)
  const changes = isDefault ? yield* runEach(deleteException, pairs) : yield* runEach(insertException, pairs)
  return nums.filter((_, i) => (changes[i] ?? 0) > 0)
}

const contactsOfMonitor = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .selectFrom('contacts as c')
    .leftJoin('contact_exceptions as x', (on) =>
      on.onRef('x.org_id', '=', 'c.org_id').onRef('x.contact_id', '=', 'c.id').on('x.monitor_num', '=', num),
    )
    .select(['c.id', 'c.name', 'c.channel', 'c.enabled', 'c.confirmed', 'c.covers_all', 'x.monitor_num'])
    .where('c.org_id', '=', orgId)
    .orderBy('c.id'),
)

export interface Attachment {
  readonly contactId: string
  readonly name: string
  readonly channel: string
  readonly enabled: boolean
  readonly confirmed: boolean
  readonly attached: boolean
}

/** Every contact of the organization, and whether it is attached to this monitor. */
export function* attachmentsOf(orgId: string, num: number): DbWork<readonly Attachment[]> {
  return (yield* all(contactsOfMonitor, { orgId, num })).map((row) => ({
    contactId: row.id,
    name: row.name,
    channel: row.channel,
    enabled: row.enabled === 1,
    confirmed: row.confirmed === 1,
    attached: (row.covers_all === 1) === (row.monitor_num === null),
  }))
}

const monitorNum = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', id),
)

export function* monitorNumOf(orgId: string, id: string): DbWork<number | undefined> {
  return (yield* first(monitorNum, { orgId, id }))?.num
}

const AttachmentSchema = resource('MonitorContact', {
  contactId: Type.String(),
  name: Type.String(),
  channel: oneOf(channelNames),
  enabled: Type.Boolean(),
  confirmed: Type.Boolean({ description: 'False: its e-mail address is waiting for confirmation' }),
  attached: Type.Boolean({ description: 'Gets alerts of this monitor' }),
})

const AttachmentList = resource('MonitorContactList', { data: Type.Array(AttachmentSchema) })

export const listMonitorContacts = appOperation('listMonitorContacts', {
  method: 'GET',
  path: '/monitors/:monitorId/contacts',
  access: 'read',
  tag: 'Contacts',
  summary: 'List the alert contacts of a monitor',
  params: Type.Object({ monitorId: Type.String({ minLength: 1 }) }),
  answer: {
    status: 200,
    schema: AttachmentList,
    description: 'Every contact, and whether it gets alerts of the monitor',
  },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params }) {
    return yield* listAttachments(orgId, yield* requireMonitorNum(orgId, params.monitorId))
  },
})

export const attachContact = attachOperation('attach')
export const detachContact = attachOperation('detach')

function attachOperation(word: 'attach' | 'detach') {
  return appOperation(`${word}Contact`, {
    method: word === 'attach' ? 'POST' : 'DELETE',
    path: '/monitors/:monitorId/contacts/:contactId',
    access: 'write',
    tag: 'Contacts',
    summary: word === 'attach' ? 'Attach a contact to a monitor' : 'Detach a contact from a monitor',
    params: Type.Object({ monitorId: Type.String(), contactId: Type.String() }),
    answer: {
      status: 200,
      schema: AttachmentList,
      description: 'Every contact, and whether it gets alerts of the monitor',
    },
    errors: ['not_found'],
    *handle({ caller: { orgId } }, { params: { monitorId, contactId } }) {
      const num = yield* requireMonitorNum(orgId, monitorId)
      yield* setAttached(orgId, contactId, num, word === 'attach')
      return yield* listAttachments(orgId, num)
    },
  })
}

function* listAttachments(orgId: string, num: number) {
  const rows = yield* attachmentsOf(orgId, num)
  return { data: rows.map((row) => ({ ...row, channel: row.channel as (typeof channelNames)[number] })) }
}

function* requireMonitorNum(orgId: string, monitorId: string): DbWork<number> {
  const num = yield* monitorNumOf(orgId, monitorId)
  if (num === undefined) throw notFound('monitor')
  return num
}
