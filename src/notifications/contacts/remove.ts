import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { execute, q } from '../../storage/query.ts'
import { disableContactRow } from './enable.ts'
import { ofContact } from './schema.ts'

export const deleteContact = operation({
  ...ofContact,
  id: 'deleteContact',
  method: 'DELETE',
  summary: 'Delete a contact',
  description: 'Deletes the contact with its alert history.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle({ caller: { orgId }, now }, { params: { contactId: id } }) {
    yield* disableContactRow(orgId, id, now)
    // The foreign key deletes its alerts.
    yield* execute(q.deleteFrom('contacts').where('org_id', '=', orgId).where('id', '=', id))
    return { data: { id } }
  },
})
