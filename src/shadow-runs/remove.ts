import { endFirstMutes } from '../configuration/mute-at-first.ts'
import { operation } from '../contract/operation.ts'
import { Deleted } from '../contract/schema.ts'
import { removeRun, runOf } from './runs.ts'
import { ofRun } from './schema.ts'
import { sourceOf } from './tools/index.ts'
import type { Tool } from './verdicts.ts'

export const deleteShadowRun = operation({
  ...ofRun,
  id: 'deleteShadowRun',
  method: 'DELETE',
  access: 'write',
  bulk: true,
  summary: 'Delete a shadow run',
  description:
    'Ends it if it is in progress, as finishing does, and deletes what it found. Imported contacts stay as they are.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle(context, { params: { shadowRunId: id } }) {
    const run = yield* runOf(context.caller.orgId, id)
    if (run.ended_at === null) yield* endFirstMutes(context, sourceOf(run.tool as Tool))
    yield* removeRun(run)
    return { data: { id } }
  },
})
