import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { oneOf, page, pageQuery } from '../../contract/schema.ts'
import { foldCase } from '../../lib/text.ts'
import { type ContactProblem, contactProblems, problemOf } from './delivers.ts'
import { contactsOf } from './queries.ts'
import { renderContact } from './render.ts'
import { Contact, common } from './schema.ts'

const states = ['WORKING', ...contactProblems] as const satisfies readonly ('WORKING' | ContactProblem)[]

export const listContacts = operation({
  ...common,
  id: 'listContacts',
  access: 'read',
  method: 'GET',
  path: '/contacts',
  summary: 'List contacts',
  description: 'In order of creation.',
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name, in any case' })),
    state: Type.Optional(oneOf(states, { description: 'Only contacts with this `problem`; WORKING: without one' })),
  }),
  skipsSnapshot: true,
  answer: { status: 200, schema: page('ContactPage', Contact), description: 'A page of contacts' },
  *handle({ caller, installation }, { query: { limit, offset, q, state } }) {
    // The number of contacts is limited, so all are read.
    const all = yield* contactsOf(caller.orgId)
    const words = q && foldCase(q)
    const rows = all.filter(
      (row) =>
        (words === undefined || foldCase(row.name).includes(words)) &&
        (state === undefined || (problemOf(row, installation.transports) ?? 'WORKING') === state),
    )
    const data = rows.slice(offset, offset + limit).map((row) => renderContact(row, installation.transports))
    return { data, pagination: { limit, offset, total: rows.length } }
  },
})
