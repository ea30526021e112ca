import type { Sample } from '../../contract/probe.ts'
import { heartbeatDeadline } from '../monitor-states/schedule.ts'
import type { Claim } from './claim.ts'

/** The check of a CRON monitor: whether its heartbeat is overdue. Inconclusive before the first heartbeat. */
export function heartbeatSample({ settings, memory, current }: Claim, now: number): Sample {
  const deadline = heartbeatDeadline(settings, memory.heartbeats)
  if (deadline === null) return { outcome: 'inconclusive', reason: 'No heartbeat has come yet' }
  if (now >= deadline) {
    const last = new Date(memory.heartbeats.lastSuccessAt as number).toISOString()
    const error = `No heartbeat since ${last}; it was due by ${new Date(deadline).toISOString()}`
    return { outcome: 'failure', code: 'HEARTBEAT_MISSED', kind: 'content', error }
  }
  if (current.state === 'PENDING') return { outcome: 'inconclusive', reason: 'No heartbeat has come since the resume' }
  // A job that reported failure stays DOWN until it reports success.
  if (memory.heartbeats.failed) {
    return { outcome: 'failure', code: 'HEARTBEAT_FAILED', kind: 'content', error: 'The job reported a failure' }
  }
  return { outcome: 'success' }
}
