import { operation } from '../../contract/operation.ts'
import { contactOf } from './queries.ts'
import { renderContact } from './render.ts'
import { Contact, ofContact } from './schema.ts'

export const getContact = operation({
  ...ofContact,
  id: 'getContact',
  access: 'read',
  method: 'GET',
  summary: 'Get a contact',
  description: 'With the result of its last message. Secrets are shown as `set`.',
  answer: { status: 200, schema: Contact, description: 'The contact' },
  *handle({ caller, installation }, { params }) {
    return renderContact(yield* contactOf(caller.orgId, params.contactId), installation.transports)
  },
})
