import type { Sealer } from '../lib/seal.ts'
import type { Guard } from '../outbound/guard.ts'
import { startWorker, type Worker, type WorkerParts } from '../storage/queue/worker.ts'
import { askTool } from './ask-tool.ts'
import { openKey, type RunClaim, runQueue } from './runs.ts'
import { savePoll } from './save-poll.ts'
import { toolClients } from './tools/index.ts'
import type { Tool } from './verdicts.ts'

interface PollerOptions extends WorkerParts {
  readonly guard: Guard
  readonly sealer: Sealer
}

/** An answer may have megabytes. */
const MAX_POLLS = 4
const REST_MS = 1_000

/** Asks the other tools of shadow runs for their verdicts. */
export function startPoller(options: PollerOptions): Worker {
  const { database, clock, guard, sealer } = options

  async function poll(claim: RunClaim, stopping: AbortSignal): Promise<void> {
    const tool = toolClients[claim.tool as Tool]
    const verdicts = await askTool({ tool, url: claim.url, key: openKey(claim, sealer) }, guard, stopping)
    await database.write(() => savePoll(claim, verdicts, clock.now()))
  }

  const worker = startWorker<RunClaim>(
    {
      name: 'shadow runs',
      lanes: [{ capacity: () => MAX_POLLS, claim: (request) => runQueue.claim(request) }],
      isAnyDue: (dueBy) => runQueue.isAnyDue(dueBy),
      restMs: REST_MS,
      process: poll,
      release: (claim, dueAt) => runQueue.release(claim, dueAt),
      logFields: ({ id }) => ({ run: id }),
    },
    options,
  )
  return { ...worker, stop: () => worker.stop(0) }
}
