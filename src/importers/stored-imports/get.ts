import Type from 'typebox'
import { streamedOperation } from '../../contract/operation.ts'
import { defaulted, pageQuery } from '../../contract/schema.ts'
import { reportPage } from './report.ts'
import { importWithId } from './rows.ts'
import { common, ImportReport, importParams } from './schema.ts'

const MAX_PAGE = 1_000

export const getImport = streamedOperation({
  ...common,
  id: 'getImport',
  method: 'GET',
  path: '/imports/:importId',
  access: 'read',
  summary: 'Get the report of an import',
  description:
    'The objects of the files: what becomes of each, what is lost, and the resource that it became. Pages are pages of `objects`. At most ' +
    '5,000 objects are listed; `unreadable` says how many more there are.',
  params: importParams,
  query: Type.Object({
    ...pageQuery,
    limit: defaulted(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: 'Objects per page' }), MAX_PAGE),
  }),
  answer: { status: 200, schema: ImportReport, description: 'The import' },
  errors: ['not_found'],
  async parts(context, { params: { importId }, query }, read) {
    return reportPage(context, await read(importWithId(context, importId)), query, read)
  },
})
