import { operation } from '../contract/operation.ts'
import { renderRun } from './render.ts'
import { runOf } from './runs.ts'
import { ofRun, ShadowRun } from './schema.ts'

export const getShadowRun = operation({
  ...ofRun,
  id: 'getShadowRun',
  method: 'GET',
  access: 'read',
  summary: 'Get a shadow run',
  description: 'With its counts and the monitors that only one side has.',
  answer: { status: 200, schema: ShadowRun, description: 'The run' },
  *handle(context, { params }) {
    return yield* renderRun(yield* runOf(context.caller.orgId, params.shadowRunId), context)
  },
})
