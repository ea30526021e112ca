import { streamedOperation } from '../contract/operation.ts'
import { renderRun } from './render.ts'
import { reportOf } from './report.ts'
import { runOf } from './runs.ts'
import { ofRun, ShadowRun } from './schema.ts'

export const getShadowRun = streamedOperation({
  ...ofRun,
  id: 'getShadowRun',
  method: 'GET',
  access: 'read',
  summary: 'Get a shadow run',
  description: 'With its counts and the monitors that only one side has.',
  answer: { status: 200, schema: ShadowRun, description: 'The run' },
  async parts({ caller: { orgId }, installation, now }, { params }, read) {
    const run = await read(runOf(orgId, params.shadowRunId))
    return [JSON.stringify(renderRun(run, await reportOf(read, run, installation.confirmDelaysSeconds, now)))]
  },
})
