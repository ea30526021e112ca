import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { importWithId, removeImport } from './rows.ts'
import { common, importParams } from './schema.ts'

export const deleteImport = operation({
  ...common,
  id: 'deleteImport',
  method: 'DELETE',
  path: '/imports/:importId',
  access: 'write',
  summary: 'Delete an import',
  description: 'Deletes the report and what was uploaded. Resources that were imported stay.',
  params: importParams,
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted import' },
  errors: ['not_found'],
  *handle(context, { params: { importId } }) {
    yield* importWithId(context, importId)
    yield* removeImport(context.caller.orgId, importId)
    return { data: { id: importId } }
  },
})
