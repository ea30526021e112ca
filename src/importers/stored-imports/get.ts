import { operation } from '../../contract/operation.ts'
import { reportOf } from './report.ts'
import { importWithId, openResult } from './rows.ts'
import { common, ImportReport, importParams } from './schema.ts'

export const getImport = operation({
  ...common,
  id: 'getImport',
  method: 'GET',
  path: '/imports/:importId',
  access: 'read',
  summary: 'Get the report of an import',
  description: 'Every object of the files: what becomes of it, what is lost, and the resource that it became.',
  params: importParams,
  answer: { status: 200, schema: ImportReport, description: 'The import' },
  errors: ['not_found'],
  *handle(context, { params: { importId } }) {
    const row = yield* importWithId(context, importId)
    return yield* reportOf(context, row, openResult(context, row))
  },
})
