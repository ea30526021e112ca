import { operation } from '../contract/operation.ts'
import { renderRun } from './render.ts'
import { runsOf } from './runs.ts'
import { collection, ShadowRunList } from './schema.ts'

export const listShadowRuns = operation({
  ...collection,
  id: 'listShadowRuns',
  method: 'GET',
  access: 'read',
  summary: 'List shadow runs',
  description: 'At most one of each tool, newest first. Runs are deleted 90 days after their end.',
  answer: { status: 200, schema: ShadowRunList, description: 'The runs' },
  *handle(context) {
    const data = []
    for (const row of yield* runsOf(context.caller.orgId)) data.push(yield* renderRun(row, context))
    return { data }
  },
})
