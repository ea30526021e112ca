import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import {
  attachmentsOf,
  byLabelsNote,
  MonitorContact,
  onAttachment,
  requireMonitorNum,
  setAttached,
} from './attachments.ts'

export const attachContact = operation({
  ...onAttachment,
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
