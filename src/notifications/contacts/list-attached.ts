import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { page, pageQuery } from '../../contract/schema.ts'
import { attachmentsOf, MonitorContact, MonitorParams, requireMonitorNum } from './attachments.ts'

export const listMonitorContacts = operation({
  tag: 'Contacts',
  extension: true,
  errors: ['not_found'],
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
