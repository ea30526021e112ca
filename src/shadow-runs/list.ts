import { streamedOperation } from '../contract/operation.ts'
import { renderRun } from './render.ts'
import { reportOf } from './report.ts'
import { runsOf } from './runs.ts'
import { collection, ShadowRunList } from './schema.ts'

export const listShadowRuns = streamedOperation({
  ...collection,
  id: 'listShadowRuns',
  method: 'GET',
  access: 'read',
  summary: 'List shadow runs',
  description: 'At most one of each tool, newest first. Runs are deleted 90 days after their end.',
  answer: { status: 200, schema: ShadowRunList, description: 'The runs' },
  async parts({ caller: { orgId }, installation, now }, _input, read) {
    const data: ReturnType<typeof renderRun>[] = []
    for (const run of await read(runsOf(orgId))) {
      data.push(renderRun(run, await reportOf(read, run, installation.confirmDelaysSeconds, now)))
    }
    return [JSON.stringify({ data })]
  },
})
