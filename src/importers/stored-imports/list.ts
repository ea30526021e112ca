import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { page, pageQuery } from '../../contract/schema.ts'
import { importsOf, renderImport } from './rows.ts'
import { common, Import } from './schema.ts'

export const listImports = operation({
  ...common,
  id: 'listImports',
  method: 'GET',
  path: '/imports',
  access: 'read',
  summary: 'List imports',
  description: 'Newest first. An import that was not applied is deleted after a week.',
  query: Type.Object(pageQuery),
  skipsSnapshot: true,
  answer: { status: 200, schema: page('ImportPage', Import), description: 'A page of imports' },
  *handle({ caller, now }, { query: { limit, offset } }) {
    // There are at most ten.
    const rows = yield* importsOf(caller.orgId, now)
    const data = rows.slice(offset, offset + limit).map(renderImport)
    return { data, pagination: { limit, offset, total: rows.length } }
  },
})
