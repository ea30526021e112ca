import type { ClaimTable, CrashedRow } from '../storage/nodes/release.ts'
import { all, type DbWork, execute, notifyWatchers, q, statement } from '../storage/query.ts'
import { endedAt, type RunClaim, runQueue } from './runs.ts'
import { endOpenSpans } from './save-poll.ts'
import { toolClients } from './tools/index.ts'
import type { Tool } from './verdicts.ts'

/** Ends a run because of a fault of Pharos: the same answer would cause it again with each poll. */
export function* endFaulty(claim: RunClaim, now: number): DbWork<void> {
  const update = runQueue.updateClaimed(claim).set(endedBy(claim.tool, 'failed', now))
  if ((yield* execute(update.returning('id'))).length === 1) yield* runEnded(claim.org_id, claim.id, now)
}

/**
 * Shadow runs as something that nodes claim. A run whose node ended during a poll ends, so that an answer of the other tool cannot
 * end one node after the other. It is ended after the first time, because it would be repeated every 30 seconds.
 */
export const runClaims: ClaimTable = {
  claimants: () => runQueue.claimants(),
  releaseOf: (node, now) => runQueue.releaseOf(node, now),
  *releaseOfDead(node, now): DbWork<readonly CrashedRow[]> {
    const runs = yield* all(claimedBy, { node })
    for (const { org_id: orgId, id, tool } of runs) {
      const run = q.updateTable('shadow_runs').where('org_id', '=', orgId).where('id', '=', id)
      yield* execute(run.set(endedBy(tool, 'stopped unexpectedly', now)))
      yield* runEnded(orgId, id, now)
    }
    return runs.map((run) => ({ queue: 'shadow_runs', rowKey: `${run.org_id} ${run.id}`, crashes: 1, retryAt: null }))
  },
}

const claimedBy = statement(({ node }: { node: string }) =>
  q.selectFrom('shadow_runs').select(['org_id', 'id', 'tool']).where('claimed_by', '=', node).orderBy('id').forUpdate(),
)

function endedBy(tool: string, happened: string, now: number) {
  const { name } = toolClients[tool as Tool]
  const error = `Pharos ${happened} while it read the answer of ${name}. The run has ended, so that this is not repeated.`
  return { ...endedAt(now), last_poll_at: now, last_error: error }
}

function* runEnded(orgId: string, id: string, now: number): DbWork<void> {
  yield* endOpenSpans(orgId, id, now)
  yield* notifyWatchers({ orgId, kind: 'shadow_run', id })
}
