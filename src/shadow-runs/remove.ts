import { operation } from '../contract/operation.ts'
import { Deleted } from '../contract/schema.ts'
import { removeRun, runOf } from './runs.ts'
import { ofRun } from './schema.ts'

export const deleteShadowRun = operation({
  ...ofRun,
  id: 'deleteShadowRun',
  method: 'DELETE',
  access: 'write',
  bulk: true,
  summary: 'Delete a shadow run',
  description: 'Ends it if it is in progress, and deletes what it found. Imported contacts stay as they are.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle({ caller: { orgId } }, { params: { shadowRunId: id } }) {
    yield* removeRun(yield* runOf(orgId, id))
    return { data: { id } }
  },
})
