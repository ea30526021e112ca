import type { ForeignWork } from '../lib/foreign-work.ts'
import type { Sealer } from '../lib/seal.ts'
import type { Guard } from '../outbound/guard.ts'
import { startWorker, type Worker, type WorkerParts } from '../storage/queue/worker.ts'
import { askTool, type Verdicts } from './ask-tool.ts'
import { endFaulty } from './end-crashed.ts'
import { importedMonitors } from './imported-monitors.ts'
import { openKey, type RunClaim, runQueue } from './runs.ts'
import { savePoll } from './save-poll.ts'
import type { Tool } from './verdicts.ts'

interface PollerOptions extends WorkerParts {
  readonly guard: Guard
  readonly foreign: ForeignWork
  readonly sealer: Sealer
}

/** An answer may have 5 MiB. */
const MAX_POLLS = 4
const REST_MS = 1_000

/** Asks the other tools of shadow runs for their verdicts. */
export function startPoller(options: PollerOptions): Worker {
  const { database, clock, log, guard, foreign, sealer } = options

  async function poll(claim: RunClaim, stopping: AbortSignal): Promise<void> {
    const { org_id: orgId, url } = claim
    const tool = claim.tool as Tool
    const key = openKey(claim, sealer)
    const ours = await importedMonitors(database, orgId, tool)
    let verdicts: Verdicts
    try {
      verdicts = await askTool({ orgId, tool, url, key, ours }, { guard, foreign }, stopping)
    } catch (error) {
      if (stopping.aborted) throw error
      log.error({ err: error, run: claim.id }, 'a shadow run has ended: its tool could not be asked, a fault of Pharos')
      await database.write(() => endFaulty(claim, clock.now()))
      return
    }
    // In slices of the event loop: a span may begin for each monitor.
    await database.write(() => savePoll(claim, verdicts, clock.now()), 'bulk')
  }

  const worker = startWorker<RunClaim>(
    {
      name: 'shadow runs',
      lanes: [{ capacity: () => MAX_POLLS, claim: (request) => runQueue.claim(request) }],
      queue: runQueue,
      restMs: REST_MS,
      process: poll,
      logFields: ({ id }) => ({ run: id }),
    },
    options,
  )
  return { ...worker, stop: () => worker.stop(0) }
}
