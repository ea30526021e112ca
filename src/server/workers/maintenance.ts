import { type Rest, startLoop } from '../../lib/loop.ts'
import { applyDueTransitions, isTransitionDue } from '../../monitoring/maintenance/apply-transitions.ts'
import { isRecheckQueued, recheckSome } from '../../monitoring/maintenance/recheck.ts'
import type { WorkerDependencies } from './dependencies.ts'

interface Dependencies extends Pick<WorkerDependencies, 'config' | 'database' | 'clock' | 'log'> {
  readonly nudgeChecker: () => void
  readonly nudgeSender: () => void
}

/** Windows per transaction. */
const BATCH = 50
const REST_MS = 250

/** Starts and ends maintenance windows on nodes with the role `scheduler`. */
export function startMaintenanceWorker(parts: Dependencies, undo: (() => unknown)[]): void {
  const { config, database, clock, log, nudgeChecker, nudgeSender } = parts
  if (!config.roles.includes('scheduler')) return

  async function tick(): Promise<Rest> {
    const now = clock.now()
    let isMore = false
    if (await database.read(isTransitionDue(now))) {
      isMore = (await database.write(() => applyDueTransitions(now, BATCH))) === BATCH
      nudgeSender()
    }
    if (await database.read(isRecheckQueued())) {
      const due = await database.write(() => recheckSome(clock.now()))
      isMore ||= due !== undefined
      nudgeChecker()
    }
    return isMore ? 'again' : { restMs: REST_MS }
  }

  const loop = startLoop('scheduler', log, tick)
  undo.push(() => loop.stop())
}
