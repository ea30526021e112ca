import Type from 'typebox'
import { appNetworkOperation, appOperation, enforceRateLimit } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { nullable, oneOf, resource } from '../../contract/schema.ts'
import { MonitorParams } from '../../monitoring/monitors/schema.ts'
import type { DbWork } from '../../storage/query.ts'
import { attachmentsOf, monitorNumOf, setAttached } from './attach.ts'
import { channelNames } from './channels/index.ts'
import { ContactParams } from './manage.ts'
import { contactOf } from './queries.ts'
import { recordTest, sendTest } from './test.ts'

const TESTS_A_MINUTE = 10

export const testContact = appNetworkOperation('testContact', {
  method: 'POST',
  path: '/contacts/:contactId/test',
  access: 'write',
  tag: 'Contacts',
  summary: 'Send a test message to an alert contact',
  description: 'The answer waits for what comes of it, up to a minute.',
  params: ContactParams,
  answer: {
    status: 200,
    schema: resource('ContactTested', {
      sent: Type.Boolean(),
      error: nullable(Type.String(), { description: 'Why not, in a sentence' }),
    }),
    description: 'What came of it',
  },
  errors: ['not_found'],
  *prepare({ caller: { orgId }, accounts, now }, { params }) {
    enforceRateLimit(accounts, `contact tests ${orgId}`, TESTS_A_MINUTE, now)
    return { contact: yield* contactOf(orgId, params.contactId), transports: accounts.transports, now }
  },
  async run({ contact, transports, now }, { sealer, baseUrl }) {
    return { contact, sent: await sendTest(contact, { transports, sealer, baseUrl }, now) }
  },
  *save({ now }, _input, { contact, sent }) {
    yield* recordTest(contact, sent, now)
    return { sent: sent.ok, error: sent.ok ? null : sent.error }
  },
})

const Attachment = resource('MonitorContact', {
  contactId: Type.String(),
  name: Type.String(),
  channel: oneOf(channelNames),
  enabled: Type.Boolean(),
  attached: Type.Boolean({ description: 'It is told of this monitor' }),
})

const AttachmentList = resource('MonitorContactList', { data: Type.Array(Attachment) })

export const listMonitorContacts = appOperation('listMonitorContacts', {
  method: 'GET',
  path: '/monitors/:monitorId/contacts',
  access: 'read',
  tag: 'Contacts',
  summary: 'List who is told of a monitor',
  params: MonitorParams,
  answer: { status: 200, schema: AttachmentList, description: 'Every contact, and whether it is told' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params }) {
    return yield* listed(orgId, yield* numberOf(orgId, params.monitorId))
  },
})

export const attachContact = attaching('attach')
export const detachContact = attaching('detach')

function attaching(word: 'attach' | 'detach') {
  return appOperation(`${word}Contact`, {
    method: word === 'attach' ? 'POST' : 'DELETE',
    path: '/monitors/:monitorId/contacts/:contactId',
    access: 'write',
    tag: 'Contacts',
    summary: word === 'attach' ? 'Tell a contact of a monitor' : 'Tell a contact nothing of a monitor',
    params: Type.Object({ monitorId: Type.String(), contactId: Type.String() }),
    answer: { status: 200, schema: AttachmentList, description: 'Who is told of the monitor now' },
    errors: ['not_found'],
    *handle({ caller: { orgId } }, { params: { monitorId, contactId } }) {
      const num = yield* numberOf(orgId, monitorId)
      yield* setAttached(orgId, contactId, num, word === 'attach')
      return yield* listed(orgId, num)
    },
  })
}

function* listed(orgId: string, num: number) {
  const rows = yield* attachmentsOf(orgId, num)
  return { data: rows.map((row) => ({ ...row, channel: row.channel as (typeof channelNames)[number] })) }
}

function* numberOf(orgId: string, monitorId: string): DbWork<number> {
  const num = yield* monitorNumOf(orgId, monitorId)
  if (num === undefined) throw notFound('monitor')
  return num
}
