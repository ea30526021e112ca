import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { byLabelsNote, onAttachment, requireMonitorNum, setAttached } from './attachments.ts'

export const detachContact = operation({
  ...onAttachment,
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
