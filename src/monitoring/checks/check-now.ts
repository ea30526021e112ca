import { notFound } from '../../contract/errors.ts'
import { networkOperation, WithHeaders } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { englishText } from '../../reasons/english.ts'
import { monitorIsPaused } from '../monitors/pause.ts'
import { monitorFor } from '../monitors/queries.ts'
import { Monitor, MonitorParams } from '../monitors/schema.ts'
import { claimMonitor } from './claim.ts'
import { heartbeatSample } from './heartbeat.ts'
import { probeNow } from './probe-now.ts'
import { saveResult } from './save-results.ts'

const CHECK_HEADER = 'X-Pharos-Check'

export const checkMonitor = networkOperation({
  id: 'checkMonitor',
  method: 'POST',
  path: '/monitors/:monitorId/check',
  access: 'write',
  tag: 'Monitors',
  summary: 'Check a monitor now',
  description:
    'The check runs before the response is sent, which takes at most `timeoutSeconds` and 15 seconds. It counts for uptime and ' +
    'can open or resolve an incident. For DOMAIN monitors the registration is looked up again, at most once a minute. A check that ' +
    `could not tell whether the target works, because of a problem of the service itself, changes nothing; the header \`${CHECK_HEADER}\` ` +
    'names the reason.',
  params: MonitorParams,
  body: Empty,
  answer: {
    status: 200,
    schema: Monitor,
    description: 'The monitor after the check',
    headers: {
      [CHECK_HEADER]: {
        description: 'Only if the check was inconclusive: the reason',
        example: 'inconclusive; reason="No sentinel host can be reached; this server may be offline"',
      },
    },
  },
  errors: ['not_found', 'conflict'],
  *prepare({ caller, now, installation }, { params }) {
    const claim = yield* claimMonitor(installation.sealer, caller.orgId, params.monitorId, now)
    if (claim === undefined) throw notFound('monitor')
    if (claim.current.state === 'PAUSED') throw monitorIsPaused()
    return claim
  },
  async run(claim, { runProbe }, signal) {
    const { settings, target, memory } = claim
    if (settings.type === 'CRON') return { claim, sample: undefined }
    const known = { ...target, knownDetails: memory.details ?? undefined }
    return { claim, sample: await probeNow(runProbe, settings.type, known, signal) }
  },
  *save({ caller, now, installation }, { params }, { claim, sample = heartbeatSample(claim, now) }) {
    // If the result is stale nothing is written, and the answer is the monitor as it is now.
    const outcome = yield* saveResult({ claim, sample, at: now }, installation.baseUrl)
    const monitor = yield* monitorFor(caller, params.monitorId, installation)
    if (sample.outcome !== 'inconclusive' || outcome === 'stale') return monitor
    return new WithHeaders(monitor, { [CHECK_HEADER]: `inconclusive; reason=${quoted(englishText(sample.reason))}` })
  },
})

const MAX_REASON_CHARS = 500

/** A quoted string of HTTP, in ASCII. */
function quoted(text: string): string {
  const ascii = text.slice(0, MAX_REASON_CHARS).replace(/[^\x20-\x7e]/g, '?')
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}
