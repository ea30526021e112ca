import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { page, pageQuery } from '../../contract/schema.ts'
import { contactsOf } from './queries.ts'
import { renderContact } from './render.ts'
import { Contact, common } from './schema.ts'

export const listContacts = operation({
  ...common,
  id: 'listContacts',
  access: 'read',
  method: 'GET',
  path: '/contacts',
  summary: 'List contacts',
  description: 'In order of creation.',
  query: Type.Object(pageQuery),
  skipsSnapshot: true,
  answer: { status: 200, schema: page('ContactPage', Contact), description: 'A page of contacts' },
  *handle({ caller, installation }, { query: { limit, offset } }) {
    // The number of contacts is limited, so all are read.
    const rows = yield* contactsOf(caller.orgId)
    const data = rows.slice(offset, offset + limit).map((row) => renderContact(row, installation.transports))
    return { data, pagination: { limit, offset, total: rows.length } }
  },
})
