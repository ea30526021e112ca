import type { Sample } from '../../contract/probe.ts'
import { utcTimeText } from '../../lib/timestamp.ts'
import { heartbeatDeadline } from '../monitor-states/schedule.ts'
import type { Claim } from './claim.ts'

/** The check of a CRON monitor: whether its heartbeat is overdue. Inconclusive before the first heartbeat. */
export function heartbeatSample({ settings, memory, current }: Claim, now: number): Sample {
  const deadline = heartbeatDeadline(settings, memory.heartbeats)
  if (deadline === null) return { outcome: 'inconclusive', reason: 'No heartbeat yet' }
  if (now >= deadline) {
    const last = utcTimeText(memory.heartbeats.lastSuccessAt as number)
    const error = `No heartbeat since ${last} (expected by ${utcTimeText(deadline)})`
    return { outcome: 'failure', code: 'HEARTBEAT_MISSED', kind: 'content', error }
  }
  if (current.state === 'PENDING')
    return { outcome: 'inconclusive', reason: 'No heartbeat since the monitor was resumed' }
  // A job that reported failure stays DOWN until it reports success.
  if (memory.heartbeats.failed) {
    return { outcome: 'failure', code: 'HEARTBEAT_FAILED', kind: 'content', error: 'The job reported a failure' }
  }
  return { outcome: 'success' }
}
