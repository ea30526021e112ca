import { ApiError, notFound } from '../../contract/errors.ts'
import { networkOperation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { monitorFor } from '../monitors/queries.ts'
import { Monitor, MonitorParams } from '../monitors/schema.ts'
import { claimMonitor } from './claim.ts'
import { knownDetails } from './details-to-store.ts'
import { heartbeatSample } from './overdue-heartbeat.ts'
import { saveResult } from './save-results.ts'

export const checkMonitor = networkOperation({
  id: 'checkMonitor',
  method: 'POST',
  path: '/monitors/:monitorId/check',
  access: 'write',
  tag: 'Monitors',
  summary: 'Check a monitor now',
  description:
    'The check runs before the response is sent, which takes at most `timeoutSeconds` and 15 seconds. It counts for uptime and ' +
    'can open or resolve an incident.',
  params: MonitorParams,
  body: Empty,
  answer: { status: 200, schema: Monitor, description: 'The monitor after the check' },
  errors: ['not_found', 'conflict'],
  *prepare({ caller, now, installation }, { params }) {
    const claim = yield* claimMonitor(installation.sealer, caller.orgId, params.monitorId, now)
    if (claim === undefined) throw notFound('monitor')
    if (claim.current.state === 'PAUSED') throw monitorIsPaused()
    return claim
  },
  async run(claim, { runProbe }, signal) {
    const { settings, target } = claim
    return {
      claim,
      sample: settings.type === 'CRON' ? undefined : await runProbe(settings.type, target, signal, knownDetails(claim)),
    }
  },
  *save({ caller, now, installation }, { params }, { claim, sample = heartbeatSample(claim, now) }) {
    // If the result is stale nothing is written, and the answer is the monitor as it is now.
    yield* saveResult({ claim, sample, at: now }, installation.baseUrl)
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

export function monitorIsPaused(): ApiError {
  return new ApiError('conflict', 'The monitor is paused; resume it first')
}
