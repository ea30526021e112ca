import type { Sample } from '../../contract/probe.ts'
import { deadlineOf } from '../monitor-states/due.ts'
import type { Claim } from './claim.ts'

/** A look at a CRON monitor: whether its heartbeat is overdue. Before the first one there is nothing to say. */
export function overdue({ settings, memory, standing }: Claim, now: number): Sample {
  const deadline = deadlineOf(settings, memory.beats)
  if (deadline === null) return { outcome: 'inconclusive', reason: 'No heartbeat has come yet' }
  if (now >= deadline) {
    const last = new Date(memory.beats.lastSuccessAt as number).toISOString()
    const error = `No heartbeat since ${last}; it was due by ${new Date(deadline).toISOString()}`
    return { outcome: 'failure', code: 'HEARTBEAT_MISSED', kind: 'content', error }
  }
  if (standing.state === 'PENDING') return { outcome: 'inconclusive', reason: 'No heartbeat has come since the resume' }
  // In time, but a job that reported failure stays down until it reports success.
  if (memory.beats.failed) {
    return { outcome: 'failure', code: 'HEARTBEAT_FAILED', kind: 'content', error: 'The job reported a failure' }
  }
  return { outcome: 'success' }
}
