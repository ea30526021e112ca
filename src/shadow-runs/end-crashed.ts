import { type DbWork, execute, notifyWatchers } from '../storage/query.ts'
import { endedAt, type RunClaim, runQueue } from './runs.ts'
import { endOpenSpans } from './save-poll.ts'
import { toolClients } from './tools/index.ts'
import type { Tool } from './verdicts.ts'

/** Ends a run because of a fault of Pharos: the same answer would cause it again with each poll. */
export function* endFaulty(claim: RunClaim, now: number): DbWork<void> {
  const update = runQueue.updateClaimed(claim).set(endedBy(claim.tool, 'failed', now))
  if ((yield* execute(update.returning('id'))).length === 1) yield* runEnded(claim.org_id, claim.id, now)
}

function endedBy(tool: string, happened: string, now: number) {
  const { name } = toolClients[tool as Tool]
  const error = `Pharos ${happened} while it read the answer of ${name}. The run has ended, so that this is not repeated.`
  return { ...endedAt(now), last_poll_at: now, last_error: error }
}

function* runEnded(orgId: string, id: string, now: number): DbWork<void> {
  yield* endOpenSpans(orgId, id, now)
  yield* notifyWatchers({ orgId, kind: 'shadow_run', id })
}
